import type { HttpAnswer } from './open-address.ts';

const shortBody = 16 * 2 ** 10;
const shortTime = 2_000;

/** Closes a body that will not be read. */
export function abandon({ body }: Pick<HttpAnswer, 'body'>): void {
  body.on('error', () => {});
  body.destroy();
}

/** Reads what is left of a short body, so that the connection can be used again; closes it where there is more. */
export async function discard(answer: Pick<HttpAnswer, 'body'>): Promise<void> {
  answer.body.on('error', () => {});
  const signal = AbortSignal.timeout(shortTime);
  await answer.body.dump({ limit: shortBody, signal }).catch(() => abandon(answer));
}
