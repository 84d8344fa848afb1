import { z } from 'zod';
import { BinaryFile, TextFlag } from '../fields.ts';

/** OpenAI's first six voices and `sage`, so that examples for its clients work. A pod maps them to its own voices. */
export const Voice = z
  .enum(['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer', 'sage'])
  .meta({ id: 'Voice' });
export type Voice = z.infer<typeof Voice>;

export const TTS = z
  .looseObject({
    model: z.string().min(1),
    input: z.string(),
    voice: Voice.default('alloy'),
    language: z.enum(['ru', 'en']).default('ru'),
  })
  .meta({ id: 'TTS' });
export type TTS = z.infer<typeof TTS>;

/** A multipart form, streamed to the pod with all its fields. */
export const Transcription = z
  .looseObject({
    file: BinaryFile,
    model: z.string().min(1),
    stream: TextFlag,
  })
  .meta({ id: 'Transcription' });
export type Transcription = z.infer<typeof Transcription>;
