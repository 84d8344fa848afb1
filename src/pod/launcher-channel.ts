import type { PodMessage } from '../contracts/pod-messages.ts';

/** Speaks to the launcher, where one started this process and holds a channel to it. */
export function tellLauncher(message: PodMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send || !process.connected) return resolve();
    process.send(message, () => resolve());
  });
}

/** Calls back when the launcher is gone: nobody would stop this process otherwise. */
export function onLauncherGone(callback: () => void): void {
  if (process.send) process.once('disconnect', callback);
}
