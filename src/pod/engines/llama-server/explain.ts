import type { ChildEnd } from '../server/child-group.ts';
import { explainSilence, type Judgement, judge } from '../server/explain-end.ts';
import type { Cause } from '../server/server-kind.ts';

const judgements: Judgement[] = [
  {
    pattern: /out of memory|failed to allocate|unable to allocate|cudaMalloc failed/i,
    failure: 'out-of-memory',
  },
  { pattern: /no such file|failed to open/i, failure: 'missing-file' },
  {
    pattern: /corrupt|incomplete|invalid magic|not within the file bounds|failed to read/i,
    failure: 'corrupt-file',
  },
  {
    pattern:
      /unknown (model )?architecture|unsupported|unknown argument|invalid argument|error while handling|failed to apply lora|no backends/i,
    failure: 'unsupported',
  },
];

/** llama-server logs the cause before its consequences, so the first recognised error is the most useful one. */
export function explainLlamaServer(lines: string[], end: ChildEnd): Cause {
  const errors = lines.flatMap((line) => {
    const logged = /^[\d.]+ E (?:\w+ +)?(.*)$/.exec(line)?.[1];
    const text = logged ?? (/^error\b|^(ggml|llama)_.*(error|fail)/i.test(line) ? line : undefined);
    return text === undefined ? [] : [text.replace(/^[\w]+: (?=.*\w)/, '').trim()];
  });
  const cause = errors.find((text) => judge(text, judgements).failure !== 'failed') ?? errors[0];
  return cause === undefined ? explainSilence(end, lines.at(-1)?.trim()) : judge(cause, judgements);
}
