import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedEngine } from '../../../test/testkit/pods/scripted-engine.ts';
import { type ScriptedPod, startScriptedPod } from '../../../test/testkit/pods/scripted-pod.ts';
import { until } from '../../../test/testkit/until.ts';
import { Conversation } from './conversation.ts';
import { type AnswerOptions, ModelServer } from './model-server.ts';
import { talk } from './talk.ts';

describe('roundhouse chat', () => {
  let pod: ScriptedPod;
  let engine: ScriptedEngine;

  beforeAll(async () => {
    pod = await startScriptedPod();
  });
  beforeEach(() => {
    engine = new ScriptedEngine();
    pod.pod.loaded(engine);
  });
  afterAll(() => pod.close());

  const lastMessages = () => {
    const prompt = engine.requests.at(-1)?.prompt;
    return prompt?.kind === 'chat' ? prompt.messages.map(({ role, content }) => [role, content]) : [];
  };

  function sit(interactive: boolean, options: AnswerOptions = {}) {
    const conversation = new Conversation(
      new ModelServer(`${pod.address}/v1/`, undefined),
      'scripted',
      undefined,
      options,
    );
    const input = new PassThrough();
    const output = new PassThrough();
    let seen = '';
    output.on('data', (chunk: Buffer) => {
      seen += chunk;
    });
    const remarks = new PassThrough();
    const done = talk(conversation, { input, output, remarks, interactive });
    return {
      type: (text: string) => input.write(text),
      leave: () => input.end(),
      seen: () => seen,
      remarked: () => String(remarks.read() ?? ''),
      done,
    };
  }

  test('piped lines are answered one after the other, with what was said before', async () => {
    const desk = sit(false);
    desk.type('say привет мир\nsay да\n');
    desk.leave();
    expect(await desk.done).toBe(0);
    expect(desk.seen()).toBe(' привет мир\n да\n');
    expect(lastMessages()).toEqual([
      ['user', 'say привет мир'],
      ['assistant', ' привет мир'],
      ['user', 'say да'],
    ]);
  });

  test('an answer does not control the terminal; a pipe gets it as it is', async () => {
    const desk = sit(true);
    desk.type('say a\u009bb\n');
    await until('the answer', () => desk.seen().includes('a\\u009bb\n'));
    desk.leave();
    await desk.done;
    const pipe = sit(false);
    pipe.type('say a\u009bb\n');
    pipe.leave();
    await pipe.done;
    expect(pipe.seen()).toBe(' a\u009bb\n');
  });

  test('commands: system, clear, adapters, a message of several lines', async () => {
    await engine.loadAdapter('legal', '/l');
    const desk = sit(false);
    desk.type(
      '/system Be short.\n/adapter\n/adapter legal\nsay a\n/clear\n/adapter none\n"""\nsay\ntwo lines\n"""\n/nothing\n/bye\nsay z\n',
    );
    expect(await desk.done).toBe(0);
    expect(desk.seen().split('\n')).toEqual([
      'System: Be short.',
      '  legal',
      'Using scripted with adapter legal.',
      ' a',
      'Conversation cleared.',
      'Using scripted without an adapter.',
      '',
      'two lines',
      'Unknown command /nothing. Type /help for a list of commands.',
      '',
    ]);
    expect(engine.requests.map((request) => request.adapter)).toEqual(['legal', undefined]);
    expect(lastMessages()).toEqual([
      ['system', 'Be short.'],
      ['user', 'say\ntwo lines'],
    ]);
  });

  test('a refusal is told, is not remembered, and makes a script fail', async () => {
    const desk = sit(false);
    desk.type('long\n/adapter nothing\nsay on\n');
    desk.leave();
    expect(await desk.done).toBe(1);
    expect(desk.seen()).toBe("the prompt has 120 tokens, 100 fit\nscripted has no adapter 'nothing'.\n on\n");
    expect(lastMessages()).toEqual([['user', 'say on']]);
  });

  test('Ctrl-C stops the answer and not the program; at the prompt it says how to leave', async () => {
    const desk = sit(true);
    desk.type('count\r');
    await until('it answers', () => desk.seen().includes(' 1 2 3'));
    desk.type('\x03');
    await until('it stopped', () => desk.seen().includes('(stopped)'));
    await until('the engine is free', () => engine.running === 0);
    desk.type('half a line\x03');
    await until('the hint', () => desk.seen().includes('(type /bye or press Ctrl-D to quit)'));
    desk.type('say again\r');
    await until('the next answer', () => desk.seen().includes(' again\n'));
    expect(lastMessages().at(-1)).toEqual(['user', 'say again']);
    expect(String(lastMessages()[1]?.[1])).toMatch(/^ 0 1 2 3/);
    desk.type('\x04');
    expect(await desk.done).toBe(0);
  });

  test('an answer has a limit; a loop is stopped, and remembered without its repetitions', async () => {
    const desk = sit(false);
    desk.type('forever\nsay on\n');
    desk.leave();
    expect(await desk.done).toBe(0);
    expect(desk.remarked()).toBe('(stopped, because the model was repeating itself)\n');
    expect(desk.seen()).toMatch(/^(word more){6,}(word)?\n on\n$/);
    await until('the engine is free', () => engine.running === 0);
    expect(engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([1024, 1024]);
    expect(lastMessages()[1]).toEqual(['assistant', 'word more']);
  });

  test('an answer that reached the limit is marked; the limit is dropped if the context is nearly full', async () => {
    const short = sit(false, { max_tokens: 2 });
    short.type('say a b c\n');
    short.leave();
    expect(await short.done).toBe(0);
    expect([short.seen(), short.remarked()]).toEqual([
      ' a b\n',
      '(the answer was cut off at its limit of 2 tokens)\n',
    ]);
    const full = sit(false);
    full.type('long\n');
    full.leave();
    expect(await full.done).toBe(1);
    expect(engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([2, 1024, undefined]);
  });

  test('the command itself, piped, finds the model by itself', async () => {
    const main = join(import.meta.dirname, '../main.ts');
    const child = spawn(process.execPath, [main, 'chat', '--server', pod.address], { stdio: 'pipe' });
    child.stdin.end('say из терминала\n');
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(output).toBe(' из терминала\n');
  });

  test('where nothing listens, it says what to do', async () => {
    const server = new ModelServer('http://127.0.0.1:9', undefined);
    await expect(server.models()).rejects.toThrow('no platform is running at http://127.0.0.1:9 ');
  });
});
