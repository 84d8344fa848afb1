import type { Wait } from './patience.ts';

/** Lets all requests to a server wait while it limits their rate, so that they don't use up their tries. */
export function createPace() {
  const until = new Map<string, number>();
  return {
    hold(origin: string, milliseconds: number): void {
      until.set(origin, Math.max(until.get(origin) ?? 0, Date.now() + milliseconds));
    },
    async ready(origin: string, wait: Wait, signal: AbortSignal): Promise<void> {
      const left = (until.get(origin) ?? 0) - Date.now();
      if (left > 0) await wait(left, signal);
      else until.delete(origin);
    },
  };
}
