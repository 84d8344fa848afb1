/** The thread that holds the embedded collections. Searching and writing would block the thread that serves requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { Collections } from './collections.ts';
import {
  type CallMessage,
  failureOf,
  type ThreadCalls,
  type ThreadMessage,
  type ThreadSettings,
} from './thread-messages.ts';

const port = parentPort;
if (!port) throw new Error('this file must run in a worker thread');
const send = (message: ThreadMessage) => port.postMessage(message);

const settings = workerData as ThreadSettings;
const collections = new Collections({
  ...settings,
  onDamaged: (damaged, reason) => send({ damaged, reason }),
});
setInterval(() => collections.closeIdle(), Math.min(settings.idle / 4, 60_000) + 1_000).unref();

type Handlers = {
  [Call in keyof ThreadCalls]: (
    ...args: Parameters<ThreadCalls[Call]>
  ) => Promise<ReturnType<ThreadCalls[Call]>>;
};

const handlers: Handlers = {
  ensure: (collection, dimensions) => collections.ensure(collection, dimensions),
  upsert: (collection, points) => collections.upsert(collection, points),
  remove: (collection, groups) => collections.remove(collection, groups),
  search: (collection, query) => collections.search(collection, query),
  count: (collection) => collections.count(collection),
  copy: (from, to) => collections.copy(from, to),
  drop: (collection) => collections.drop(collection),
  list: () => collections.list(),
};

port.on('message', async (message: CallMessage | 'close') => {
  if (message === 'close') {
    await collections.close();
    port.close();
    return;
  }
  const { id, call, args } = message;
  try {
    const handler = handlers[call] as (...args: unknown[]) => Promise<unknown>;
    send({ id, result: await handler(...args) });
  } catch (error) {
    send({ id, failure: failureOf(error) });
  }
});
