import { Readable } from 'node:stream';
import { z } from 'zod';
import type { CallOptions } from '../sending/call-options.ts';
import { noRetries, policyOf } from '../sending/retries.ts';
import { askForJson, type Sender } from '../sending/send-request.ts';
import type { BodyBytes } from '../sending/transport.ts';
import { formBody } from '../streams/form-body.ts';
import { type TokenUsage, usageField } from './usage.ts';

export interface TranscriptionInput {
  model: string;
  /** Streamed to the model; never held whole. A `Readable` is destroyed when the call is over, however it ends. */
  audio: BodyBytes;
  /** In bytes, where it is known of a stream. */
  size?: number;
  filename: string;
  mediaType?: string;
  language?: string;
  prompt?: string;
  temperature?: number;
}

export interface Transcript {
  text: string;
  usage: TokenUsage | undefined;
}

const Answer = z.looseObject({ text: z.string(), usage: usageField });

/** Turns speech into text. A stream can be read only once, so only sound that is held in memory is sent again. */
export async function transcribe(
  sender: Sender,
  input: TranscriptionInput,
  options: CallOptions,
): Promise<Transcript> {
  const { model, audio, size, filename, mediaType = 'application/octet-stream', temperature } = input;
  const fields = {
    model,
    language: input.language,
    prompt: input.prompt,
    temperature: temperature?.toString(),
    response_format: 'json',
  };
  const policy = audio instanceof Uint8Array ? policyOf(options, noRetries) : noRetries;
  const file = { name: filename, mediaType, content: audio, size };
  const request = () => ({
    method: 'POST' as const,
    path: '/v1/audio/transcriptions',
    ...formBody(fields, file),
  });
  try {
    const { text, usage } = await askForJson(sender, request, Answer, options, policy);
    return { text, usage };
  } finally {
    // A call that is refused early has not begun to read it, and an open file would stay open.
    if (audio instanceof Readable) audio.destroy();
  }
}
