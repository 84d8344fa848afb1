import { describe, expect, it } from 'vitest';
import type { GenerationEvent } from '../../../engine.ts';
import type { TokenBytes } from '../output/token-bytes.ts';
import { toolSink } from './tool-sink.ts';
import { detectToolSyntax } from './tool-syntax.ts';
import type { ToolRules } from './tool-text.ts';

const noTokens: TokenBytes = {
  of: () => new Uint8Array(),
  named: () => new Uint8Array(),
  isControl: () => false,
  size: 0,
};
const hermes = detectToolSyntax('{{ tools }} <tool_call>');
const mistral = detectToolSyntax('[TOOL_CALLS]');
const llama = detectToolSyntax('{% if tools %} {"name": …, "parameters": …}');

/** The answer in pieces of a given size, and what was made of it. */
function read(syntax: typeof hermes, answer: string, size: number, rules: ToolRules = {}, truncated = false) {
  const sink = toolSink(noTokens, syntax, rules);
  const events: GenerationEvent[] = [];
  for (let start = 0; start < answer.length; start += size)
    events.push(...sink.push(answer.slice(start, start + size), []));
  events.push(...sink.flush(truncated));
  const calls: { name: string; arguments: string }[] = [];
  let text = '';
  for (const event of events) {
    if (event.kind === 'text') text += event.text;
    if (event.kind === 'tool-call') calls[event.index] = { name: event.name, arguments: '' };
    if (event.kind === 'tool-arguments')
      (calls[event.index] as { arguments: string }).arguments += event.text;
  }
  return { text, calls, reason: sink.ending(truncated ? 'length' : 'stop').reason, done: sink.done };
}

const paris = { name: 'weather', arguments: '{"city": "Paris {\\"x\\"}"}' };
const sum = { name: 'add', arguments: '{"a": 1, "b": [2, {"c": 3}]}' };
const json = (call: typeof paris, key = 'arguments') =>
  `{"name": "${call.name}", "${key}": ${call.arguments}}`;

describe.each([1, 3, 7, 1000])('an answer in pieces of %i', (size) => {
  it.each([
    ['Hermes', hermes, `<tool_call>\n${json(paris)}\n</tool_call>`, [paris], ''],
    [
      'Hermes, two',
      hermes,
      `<tool_call>\n${json(paris)}\n</tool_call>\n<tool_call>\n${json(sum)}\n</tool_call>`,
      [paris, sum],
      '',
    ],
    [
      'Hermes after prose',
      hermes,
      `Let me see.\n<tool_call>\n${json(sum)}\n</tool_call>`,
      [sum],
      'Let me see.\n',
    ],
    ['Mistral', mistral, `[TOOL_CALLS][${json(paris)}, ${json(sum)}]`, [paris, sum], ''],
    ['Llama 3', llama, json(paris, 'parameters'), [paris], ''],
    ['Llama 3 with its tag', llama, `<|python_tag|>${json(sum, 'parameters')}`, [sum], ''],
    [
      'arguments first',
      hermes,
      `<tool_call>{"arguments": {"a":1}, "name": "f"}</tool_call>`,
      [{ name: 'f', arguments: '{"a":1}' }],
      '',
    ],
  ])('calls as %s writes it', (_title, syntax, answer, calls, text) => {
    expect(read(syntax, answer, size)).toEqual({ text, calls, reason: 'tool_calls', done: false });
  });

  it.each([
    ['prose', hermes, 'No tool is needed: 1 < 2 and <b>.'],
    ['prose', llama, 'The object {"a": 1} is JSON.'],
    ['JSON that is no call', llama, '{"answer": 42}'],
    ['a broken call', hermes, '<tool_call>\n{"name": 5}\n'],
    ['the beginning of a marker', hermes, 'a <tool_'],
  ])('passes %s on as text', (_title, syntax, answer) => {
    const { text, calls, reason } = read(syntax, answer, size);
    expect(calls).toEqual([]);
    expect(reason).toBe('stop');
    expect(text.trim()).toBe(answer.replace('<tool_call>', '').trim());
  });

  it.each([
    ['Hermes', hermes, `<tool_call>\n${json(paris)}\n</tool_call>`],
    ['Mistral', mistral, `[TOOL_CALLS][${json(paris)}]`],
    ['Llama 3', llama, `<|python_tag|>${json(paris, 'parameters')}`],
  ])('leaves nothing of a call in the text, wherever %s is cut off', (_title, syntax, answer) => {
    for (let length = 0; length <= answer.length; length++) {
      const { text, calls } = read(syntax, answer.slice(0, length), size, {}, true);
      expect(text).toBe('');
      if (calls[0]) expect(paris.arguments.startsWith(calls[0].arguments)).toBe(true);
    }
  });

  it('keeps the prose before a call that is cut off', () => {
    const { text } = read(hermes, 'Let me see.\n<tool_call>\n{"na', size, {}, true);
    expect(text).toBe('Let me see.\n');
  });

  it('is done after as many calls as are wanted', () => {
    const answer = `<tool_call>\n${json(paris)}\n</tool_call>\n<tool_call>\n${json(sum)}\n</tool_call>`;
    const { calls, text, done, reason } = read(hermes, answer, size, { most: 1 });
    expect({ calls, text, done, reason }).toEqual({
      calls: [paris],
      text: '',
      done: true,
      reason: 'tool_calls',
    });
  });

  it('passes a call of a tool that is not allowed on as text', () => {
    const answer = `<tool_call>\n${json(paris)}\n</tool_call>\n<tool_call>\n${json(sum)}\n</tool_call>`;
    const { calls, text } = read(hermes, answer, size, { allowed: new Set(['add']) });
    expect(calls).toEqual([sum]);
    expect(text).toBe(json(paris));
  });
});
