/** What a pod started as a child process says to its launcher over the channel between them. */
export type PodMessage =
  | { kind: 'progress'; text: string }
  | { kind: 'listening'; address: string }
  | { kind: 'dead'; reason: string };

/** The exit code of a pod that can't work as it is configured: starting it again would change nothing. */
export const cannotWork = 78;

export function isPodMessage(message: unknown): message is PodMessage {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
