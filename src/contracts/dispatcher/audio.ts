import { z } from 'zod';
import { BinaryFile, TextFlag } from '../fields.ts';

/** OpenAI's first six and `sage`, so that its clients' examples work; a pod maps them to what it has. */
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

/** A multipart form, streamed through to the pod with every field it carries. */
export const Transcription = z
  .looseObject({
    file: BinaryFile,
    model: z.string().min(1),
    stream: TextFlag,
  })
  .meta({ id: 'Transcription' });
export type Transcription = z.infer<typeof Transcription>;
