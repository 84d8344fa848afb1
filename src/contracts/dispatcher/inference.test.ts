import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { HTTPValidationError } from '../errors.ts';
import { ModelResponse } from '../openai/models.ts';
import { Transcription, TTS } from './audio.ts';
import { ChatCompletion, Completion, Embeddings, Rerank } from './inference.ts';

const pathsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map((issue) => issue.path.join('.')) ?? [];

const chat = { model: 'm', messages: [{ role: 'user', content: 'Привет, как дела?' }] };

describe('ChatCompletion', () => {
  it('gets temperature 0.0 and stream false where absent, and nothing else', () => {
    expect(ChatCompletion.parse(chat)).toEqual({ ...chat, temperature: 0, stream: false });
  });

  it('keeps fields and message contents it does not know', () => {
    const sent = {
      ...chat,
      stream: true,
      temperature: 1.5,
      chat_template_kwargs: { enable_thinking: false },
      messages: [{ role: 'narrator', content: [{ type: 'hologram' }], mood: 'calm' }],
      tools: [{ type: 'custom', anything: [1, 'два'] }],
    };
    expect(ChatCompletion.parse(sent)).toEqual(sent);
  });

  it.each([['auto'], [null], [{ type: 'function', function: { name: 'погода' } }]])(
    'takes tool_choice %j',
    (tool_choice) => {
      expect(ChatCompletion.parse({ ...chat, tool_choice }).tool_choice).toEqual(tool_choice);
    },
  );

  it('takes null where the specification allows it', () => {
    expect(pathsOf(ChatCompletion, { ...chat, tools: null, max_tokens: null })).toEqual([]);
  });

  it.each([
    [{}, ['model', 'messages']],
    [{ ...chat, model: '' }, ['model']],
    [{ ...chat, messages: 'hello' }, ['messages']],
    [{ ...chat, messages: ['hello'] }, ['messages.0']],
    [{ ...chat, stream: 'yes' }, ['stream']],
    [{ ...chat, temperature: '0.5' }, ['temperature']],
    [{ ...chat, max_tokens: 1.5 }, ['max_tokens']],
    [{ ...chat, tool_choice: 7 }, ['tool_choice']],
    [{ ...chat, tools: {} }, ['tools']],
  ])('refuses %j at %j', (body, paths) => {
    expect(pathsOf(ChatCompletion, body).sort()).toEqual([...paths].sort());
  });
});

describe('Completion', () => {
  it('fills the two defaults', () => {
    expect(Completion.parse({ model: 'm', prompt: 'Жили-были' })).toEqual({
      model: 'm',
      prompt: 'Жили-были',
      temperature: 0,
      stream: false,
    });
  });

  it.each([
    ['text'],
    [['a', 'b']],
    [[1, 2, 3]],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ])('takes the prompt %j', (prompt) => {
    expect(Completion.parse({ model: 'm', prompt }).prompt).toEqual(prompt);
  });

  it.each([[null], [7], [[]], [['a', 1]], [{}], [undefined]])('refuses the prompt %j', (prompt) => {
    expect(pathsOf(Completion, { model: 'm', prompt })[0]).toMatch(/^prompt\b/);
  });
});

describe('Embeddings', () => {
  it('defaults to float and keeps what it does not know', () => {
    expect(Embeddings.parse({ model: 'm', input: ['раз', 'two'], dimensions: 8 })).toEqual({
      model: 'm',
      input: ['раз', 'two'],
      encoding_format: 'float',
      dimensions: 8,
    });
  });

  it('names both required fields when they are missing', () => {
    expect(pathsOf(Embeddings, {})).toEqual(['model', 'input']);
  });
});

describe('Rerank', () => {
  it('takes strings, and objects with a text', () => {
    const sent = { model: 'm', query: 'кот', documents: ['пёс', { text: 'кошка' }], return_documents: true };
    expect(Rerank.parse(sent)).toEqual(sent);
  });

  it('names all required fields when they are missing', () => {
    expect(pathsOf(Rerank, {})).toEqual(['model', 'query', 'documents']);
  });
});

describe('TTS', () => {
  it('has seven voices, the first of them the default, and speaks Russian by default', () => {
    const voices = TTS.shape.voice.unwrap().options;
    expect(voices).toHaveLength(7);
    expect(TTS.parse({ model: 'm', input: 'Здравствуйте' })).toEqual({
      model: 'm',
      input: 'Здравствуйте',
      voice: voices[0],
      language: 'ru',
    });
  });

  it.each([[{ voice: 'nobody' }], [{ language: 'de' }]])('refuses %j', (bad) => {
    expect(pathsOf(TTS, { model: 'm', input: 'x', ...bad })).toEqual(Object.keys(bad));
  });
});

describe('Transcription', () => {
  it.each([
    [undefined, false],
    ['true', true],
    ['1', true],
    ['False', false],
  ])('reads stream %j as %j', (stream, expected) => {
    expect(Transcription.parse({ file: {}, model: 'm', stream }).stream).toBe(expected);
  });

  it('names a missing model and a stream that is no switch', () => {
    expect(pathsOf(Transcription, { file: {}, stream: 'maybe' })).toEqual(['model', 'stream']);
  });
});

it('a model list needs everything but parent', () => {
  const model = { id: 'm', object: 'model', owned_by: 'me', root: 'm', created: 1, permission: [] };
  expect(
    ModelResponse.parse({ object: 'list', data: [model, { ...model, parent: null }] }).data,
  ).toHaveLength(2);
  expect(pathsOf(ModelResponse, { object: 'list', data: [{}] })).toEqual(
    ['id', 'object', 'owned_by', 'root', 'created', 'permission'].map((field) => `data.0.${field}`),
  );
});

it('a validation error has loc, msg and type', () => {
  const body = { detail: [{ loc: ['body', 'messages', 0], msg: 'Field required', type: 'missing' }] };
  expect(HTTPValidationError.parse(body)).toEqual(body);
  expect(pathsOf(HTTPValidationError, { detail: [{}] })).toEqual([
    'detail.0.loc',
    'detail.0.msg',
    'detail.0.type',
  ]);
});
