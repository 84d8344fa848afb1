import type { z } from 'zod';
import { Transcription, TTS } from './dispatcher/audio.ts';
import { ChatCompletion, Completion, Embeddings, Rerank } from './dispatcher/inference.ts';
import type { PodTask } from './dispatcher/pods.ts';

/** An endpoint that the dispatcher passes on to a pod, as every surface that serves it describes it. */
export interface InferenceEndpoint {
  /** The path below the surface's prefix, and the pod's own path. */
  path: InferencePath;
  task: PodTask;
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
] as const;
export type InferencePath = (typeof inferencePaths)[number];

export const inferenceEndpoints: readonly InferenceEndpoint[] = [
  json('/v1/chat/completions', 'llm', 'Answer a conversation', ChatCompletion),
  json('/v1/completions', 'llm', 'Complete a text', Completion),
  json('/v1/embeddings', 'embeddings', 'Embed texts', Embeddings),
  json('/v1/rerank', 'rerank', 'Order documents by relevance to a query', Rerank),
  json('/v1/audio/speech', 'tts', 'Speak a text', TTS),
  {
    path: '/v1/audio/transcriptions',
    task: 'asr',
    summary: 'Transcribe a recording',
    schema: Transcription,
    body: 'form',
  },
];

function json(path: InferencePath, task: PodTask, summary: string, schema: z.ZodType): InferenceEndpoint {
  return { path, task, summary, schema, body: 'json' };
}
