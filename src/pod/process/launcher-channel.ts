import type { PodMessage } from '../../contracts/pod-messages.ts';

/** Sends a message to the launcher, if one started this process over an IPC channel. */
export function tellLauncher(message: PodMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send || !process.connected) return resolve();
    process.send(message, () => resolve());
  });
}

/** Calls back when the launcher has ended, because then nothing else would stop this process. */
export function onLauncherGone(callback: () => void): void {
  if (process.send) process.once('disconnect', callback);
}
