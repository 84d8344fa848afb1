import { describe, expect, it } from 'vitest';
import { Observability } from './observability.ts';
import { Performance, PerformanceMetrics } from './performance.ts';

describe('Performance', () => {
  it('needs a pod and a payload, and fills the payload', () => {
    expect(Performance.parse({ pod_id: 'p', payload: {} }).payload).toEqual({
      report_mode: 'pdf',
      num_tasks: 100,
      num_runners: 10,
      generate_prompts: true,
      num_prompts: 10,
      prompt_length: 200,
      max_tokens: 100,
    });
    expect(Performance.safeParse({}).error?.issues.map((issue) => issue.path)).toEqual([
      ['pod_id'],
      ['payload'],
    ]);
  });

  it.each(['report', 'отчёт 1.pdf', 'run-2026.csv'])('takes the report file %j', (report_file) => {
    expect(Performance.safeParse({ pod_id: 'p', payload: { report_file } }).success).toBe(true);
  });

  it.each([
    '',
    '.',
    '..',
    '../up.pdf',
    '/etc/passwd',
    'a/b',
    'a\\b',
    '.hidden',
    'nul\0',
    'line\nbreak',
    'x'.repeat(129),
  ])('refuses the report file %j', (report_file) => {
    const { error } = Performance.safeParse({ pod_id: 'p', payload: { report_file } });
    expect(error?.issues[0]?.path).toEqual(['payload', 'report_file']);
  });

  it.each([
    { report_mode: 'html' },
    { num_tasks: 0 },
    { num_runners: -1 },
    { prompt_length: 1.5 },
    { max_tokens: 0 },
  ])('refuses %j', (payload) => {
    const { error } = Performance.safeParse({ pod_id: 'p', payload });
    expect(error?.issues[0]?.path).toEqual(['payload', ...Object.keys(payload)]);
  });

  it('refuses a field that it does not know', () => {
    expect(Performance.safeParse({ pod_id: 'p', payload: { tasks: 3 } }).error?.issues[0]).toMatchObject({
      keys: ['tasks'],
    });
  });

  it('keeps the names of the metrics', () => {
    const names =
      'TTFT TTFT_95 TOP_5_TTFT LATENCY LATENCY_95 TOP_5_LATENCY TPOT THROUGHPUT THROUGHPUT_INPUT_TOKENS THROUGHPUT_OUTPUT_TOKENS RPS LONGER_THAN_60_LATENCY LONGER_THAN_120_LATENCY LONGER_THAN_180_LATENCY FAILED_REQUESTS FAILED_REQUESTS_PER_HOUR ITL TPOT_DECODE GOODPUT';
    expect(PerformanceMetrics.keyType.options).toEqual(expect.arrayContaining(names.split(' ')));
  });
});

describe('Observability', () => {
  const request = { pod_id: 'p', dataset: 'org/set:ru:test', num_examples: 5, custom_data: null };

  it('needs all four fields, custom_data too', () => {
    expect(Observability.parse(request)).toEqual(request);
    expect(Observability.safeParse({}).error?.issues.map((issue) => issue.path[0])).toEqual(
      Object.keys(request),
    );
  });

  it('takes questions and answers of equal length', () => {
    const custom_data = { question: ['Столица?', 'Capital?'], answers: ['Москва', 'London'] };
    expect(Observability.safeParse({ ...request, dataset: '', custom_data }).success).toBe(true);
  });

  it.each([
    [{ custom_data: { question: ['a', 'b'], answers: ['c'] } }, 'custom_data.answers'],
    [{ custom_data: { question: [], answers: [] } }, 'custom_data.question'],
    [{ dataset: '' }, 'dataset'],
    [{ num_examples: 0 }, 'num_examples'],
  ])('refuses %j at %s', (bad, path) => {
    const { error } = Observability.safeParse({ ...request, ...bad });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});
