import type { z } from 'zod';
import { Transcription, TTS } from './dispatcher/audio.ts';
import { ChatCompletion, Completion, Embeddings, Rerank } from './dispatcher/inference.ts';
import type { PodTask } from './dispatcher/pods.ts';
import { DetokenizeRequest, TokenizeRequest } from './dispatcher/tokens.ts';

/** An endpoint that the dispatcher forwards to a pod; every surface that serves it uses this description. */
export interface InferenceEndpoint {
  /** The path after the surface's prefix; also the pod's path. */
  path: InferencePath;
  /** `any`: models of every task serve it. */
  task: PodTask | 'any';
  summary: string;
  schema: z.ZodType;
  /** How the request body is sent. */
  body: 'json' | 'form';
}

export const inferencePaths = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/rerank',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/tokenize',
  '/detokenize',
] as const;
export type InferencePath = (typeof inferencePaths)[number];

export const inferenceEndpoints: readonly InferenceEndpoint[] = [
  json('/v1/chat/completions', 'llm', 'Create a chat completion', ChatCompletion),
  json('/v1/completions', 'llm', 'Create a text completion', Completion),
  json('/v1/embeddings', 'embeddings', 'Create embeddings', Embeddings),
  json('/v1/rerank', 'rerank', 'Rank documents by relevance to a query', Rerank),
  json('/v1/audio/speech', 'tts', 'Convert text to speech', TTS),
  {
    path: '/v1/audio/transcriptions',
    task: 'asr',
    summary: 'Transcribe audio',
    schema: Transcription,
    body: 'form',
  },
  json('/tokenize', 'any', 'Count and list the tokens of a prompt or a conversation', TokenizeRequest),
  json('/detokenize', 'any', 'Turn tokens into text', DetokenizeRequest),
];

function json(
  path: InferencePath,
  task: InferenceEndpoint['task'],
  summary: string,
  schema: z.ZodType,
): InferenceEndpoint {
  return { path, task, summary, schema, body: 'json' };
}
