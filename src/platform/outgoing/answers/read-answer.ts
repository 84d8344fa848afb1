import type { OutgoingAnswer } from '../outgoing.ts';
import { Refused } from './answer-problem.ts';

/** The whole body; the request's limit applies. */
export async function readBytes(answer: OutgoingAnswer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A JSON body. `prefix` is cut off: some systems protect their answers with a statement in front. */
export async function readJson(answer: OutgoingAnswer, prefix?: RegExp): Promise<unknown> {
  const text = (await readBytes(answer)).toString('utf8');
  try {
    return JSON.parse(prefix ? text.replace(prefix, '') : text);
  } catch {
    const page = /^\s*</.test(text) ? 'with a page' : 'with something else';
    throw new Refused(`${new URL(answer.url).host} answered ${page} where data was expected`);
  }
}
