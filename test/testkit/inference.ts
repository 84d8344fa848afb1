import { createInference, type Inference } from '../../src/platform/inference/inference.ts';
import { type HttpTransport, httpTransport } from '../../src/platform/inference/sending/http-transport.ts';
import { type RunningDispatcher, startDispatcher } from './dispatcher.ts';

export const transports = ['in process', 'over HTTP'] as const;

export interface RunningInference {
  dispatcher: RunningDispatcher;
  inference: Inference;
  /** The same client with the platform's own key. */
  withKey(ownKey: string): Inference;
  close(): Promise<void>;
}

/** A dispatcher, and an inference client over one of the transports. */
export async function startInference(
  kind: (typeof transports)[number],
  options: Parameters<typeof startDispatcher>[0] = {},
): Promise<RunningInference> {
  const dispatcher = await startDispatcher(options);
  const http: HttpTransport | undefined = kind === 'over HTTP' ? httpTransport(dispatcher.url) : undefined;
  const transport = http ?? dispatcher.localTransport;
  const withKey = (ownKey: string | undefined) => createInference({ transport, ownKey });
  return {
    dispatcher,
    inference: withKey(undefined),
    withKey,
    async close() {
      await dispatcher.close();
      await http?.close();
    },
  };
}
