import { splice } from '../../../platform/inference/replace-model.ts';
import type { ParsedRequest } from './parse-request.ts';

const openBrace = 0x7b;

const temperature = Buffer.from('"temperature":0.0,');
const stream = Buffer.from('"stream":false,');
const both = Buffer.concat([temperature, stream]);

/** Adds the two defaults where they are absent, right after the opening brace; every other byte stays as it was sent. */
export function withDefaults(
  bytes: Buffer,
  { hasStream, hasTemperature }: Pick<ParsedRequest, 'hasStream' | 'hasTemperature'>,
): Buffer {
  if (hasStream && hasTemperature) return bytes;
  const added = hasStream ? temperature : hasTemperature ? stream : both;
  return splice(bytes, bytes.indexOf(openBrace) + 1, 0, added);
}
