import type { z } from 'zod';
import { TTS } from '../../contracts/dispatcher/audio.ts';
import { ChatCompletion, Completion, Embeddings, Rerank } from '../../contracts/dispatcher/inference.ts';
import type { PodTask } from '../../contracts/dispatcher/pods.ts';

type Body = Record<string, unknown>;

export interface Endpoint {
  /** Where the caller finds it, and where the pod serves it. */
  path: string;
  task: PodTask;
  /** Absent for a multipart form. */
  schema?: z.ZodType;
  /** A check by hand that passes nearly every good request; the schema judges the others. */
  plainlyFits?: (body: Body) => boolean;
  /** `temperature` and `stream` are filled in. */
  generates: boolean;
  /** The key after which the prompt stands, where pods cache prompts. */
  promptKey?: string;
}

const optionalBoolean = (value: unknown) => value == null || typeof value === 'boolean';
const optionalNumber = (value: unknown) => value == null || typeof value === 'number';
const optionalInteger = (value: unknown) => value == null || Number.isInteger(value);
const isName = (value: unknown) => typeof value === 'string' && value !== '';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

function samplingFits(body: Body): boolean {
  return (
    isName(body.model) &&
    optionalBoolean(body.stream) &&
    optionalNumber(body.temperature) &&
    optionalInteger(body.max_tokens) &&
    (body.tool_choice == null || typeof body.tool_choice === 'string')
  );
}

export const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/chat/completions',
    task: 'llm',
    schema: ChatCompletion,
    plainlyFits: (body) =>
      samplingFits(body) &&
      body.tools == null &&
      Array.isArray(body.messages) &&
      body.messages.every(isObject),
    generates: true,
    promptKey: '"messages"',
  },
  {
    path: '/v1/completions',
    task: 'llm',
    schema: Completion,
    plainlyFits: (body) => samplingFits(body) && typeof body.prompt === 'string',
    generates: true,
    promptKey: '"prompt"',
  },
  {
    path: '/v1/embeddings',
    task: 'embeddings',
    schema: Embeddings,
    plainlyFits: (body) =>
      isName(body.model) && typeof body.input === 'string' && body.encoding_format === undefined,
    generates: false,
  },
  { path: '/v1/rerank', task: 'rerank', schema: Rerank, generates: false },
  { path: '/v1/audio/speech', task: 'tts', schema: TTS, generates: false },
  { path: '/v1/audio/transcriptions', task: 'asr', generates: false },
];
