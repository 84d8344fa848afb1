/** Messages from a pod that runs as a child process to its launcher. */
export type PodMessage =
  | { kind: 'progress'; text: string }
  | { kind: 'listening'; address: string }
  | { kind: 'dead'; reason: string };

/** Exit code of a pod whose configuration can't work, so that restarting it is pointless. */
export const cannotWork = 78;

export function isPodMessage(message: unknown): message is PodMessage {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
