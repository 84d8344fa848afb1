import type { Voice } from '../../../contracts/dispatcher/audio.ts';
import type { CallOptions } from '../sending/call-options.ts';
import { noRetries, policyOf, withRetries } from '../sending/retries.ts';
import { jsonRequest, type Sender, sendRequest } from '../sending/send-request.ts';

export interface SpeechInput {
  model: string;
  input: string;
  voice?: Voice;
  language?: 'ru' | 'en';
  response_format?: string;
  speed?: number;
}

export interface Speech {
  mediaType: string;
  /** To be iterated once. Leaving the loop early abandons the call. */
  audio: AsyncIterable<Uint8Array>;
}

/** Reads a text aloud. The sound is passed on as the model makes it. */
export async function speak(sender: Sender, input: SpeechInput, options: CallOptions): Promise<Speech> {
  const request = jsonRequest('/v1/audio/speech', input);
  const answer = await withRetries(policyOf(options, noRetries), options.signal, () =>
    sendRequest(sender, request, options),
  );
  return { mediaType: answer.header('content-type') ?? 'application/octet-stream', audio: answer.body };
}
