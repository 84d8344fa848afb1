import type { ServerResponse } from 'node:http';
import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { PlatformEvent } from '../../contracts/management/events.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import { describeJob, jobKinds } from '../jobs/describe-job.ts';

export interface EventSources {
  queue: Pick<WorkQueue, 'subscribe'>;
  pods: { onChange(listener: (pod: PodRecord) => void): () => void };
}

/** Unread bytes at which a slow client is disconnected; it can reload the state after reconnecting. */
const maxUnread = 2 ** 20;
/** Milliseconds between checks whether the clients' keys still work. */
const checkEvery = 500;

/** Sends every change of a job or pod to all connected clients. */
export class EventStream {
  readonly #clients = new Map<ServerResponse, () => boolean>();
  readonly #stop: (() => void)[];
  readonly #heartbeat: NodeJS.Timeout;
  readonly #checking: NodeJS.Timeout;

  constructor({ queue, pods }: EventSources, heartbeatEvery = 15_000) {
    this.#stop = [
      queue.subscribe((item) => {
        if ((jobKinds as readonly string[]).includes(item.kind))
          this.#send({ type: 'job', job: describeJob(item) });
      }),
      pods.onChange((pod) => this.#send({ type: 'pod', pod })),
    ];
    this.#checking = setInterval(() => this.#disconnectRefused(), checkEvery).unref();
    // Comments keep proxies from closing an idle connection.
    this.#heartbeat = setInterval(() => this.#write(': heartbeat\n\n'), heartbeatEvery);
    this.#heartbeat.unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Sends events until the client disconnects, the stream is closed, or the client's key stops working. */
  add(response: ServerResponse, headers: Record<string, string>, isAllowed: () => boolean): void {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.write(': listening\n\n');
    this.#clients.set(response, isAllowed);
    response.once('close', () => this.#clients.delete(response));
  }

  close(): void {
    clearInterval(this.#heartbeat);
    clearInterval(this.#checking);
    for (const stop of this.#stop) stop();
    for (const client of this.#clients.keys()) client.end();
    this.#clients.clear();
  }

  #disconnectRefused(): void {
    for (const [client, isAllowed] of this.#clients) {
      if (isAllowed()) continue;
      this.#clients.delete(client);
      client.end();
    }
  }

  #send(event: PlatformEvent): void {
    if (this.#clients.size > 0) this.#write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #write(text: string): void {
    for (const client of this.#clients.keys()) {
      if (client.writableLength > maxUnread) client.destroy();
      else client.write(text);
    }
  }
}
