import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { UpstreamFailed } from '../../../contracts/problems.ts';
import type { Conversion } from './conversion.ts';

export interface ConversionOrder {
  conversion: Conversion;
  /** The fetched file. */
  from: string;
  /** The model's folder, and the path in it of the converted file. */
  folder: string;
  path: string;
}

export type ConversionAnswer = { written: string[] } | { reason: string };

/** Converts a file in a thread of its own, because that takes up to a second. Returns the paths of what it wrote. */
export async function convertFile(order: ConversionOrder, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  await mkdir(dirname(join(order.folder, order.path)), { recursive: true });
  const thread = new Worker(new URL('./conversion-thread.ts', import.meta.url), { workerData: order });
  const answered = Promise.withResolvers<ConversionAnswer>();
  const abort = () => answered.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  thread.once('message', answered.resolve);
  thread.once('error', answered.reject);
  try {
    const answer = await answered.promise;
    if ('written' in answer) return answer.written;
    throw new UpstreamFailed(`${order.path} could not be converted: ${answer.reason}`);
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}
