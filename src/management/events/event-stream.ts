import type { ServerResponse } from 'node:http';
import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { PlatformEvent } from '../../contracts/management/events.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import { describeJob, jobKinds } from '../jobs/describe-job.ts';

export interface EventSources {
  queue: Pick<WorkQueue, 'subscribe'>;
  pods: { onChange(listener: (pod: PodRecord) => void): () => void };
}

/** A client that falls this far behind is disconnected; it reads the whole state when it comes back. */
const mostUnread = 2 ** 20;
/** How often it is checked whether the clients' keys still work. */
const checkEvery = 500;

/** Sends each change of a job or a pod to every connected client. */
export class EventStream {
  readonly #clients = new Map<ServerResponse, () => boolean>();
  readonly #stop: (() => void)[];
  readonly #heartbeat: NodeJS.Timeout;
  readonly #checking: NodeJS.Timeout;

  constructor({ queue, pods }: EventSources, heartbeatEvery = 15_000) {
    this.#stop = [
      queue.subscribe((item) => {
        if ((jobKinds as readonly string[]).includes(item.kind))
          this.#tell({ type: 'job', job: describeJob(item) });
      }),
      pods.onChange((pod) => this.#tell({ type: 'pod', pod })),
    ];
    this.#checking = setInterval(() => this.#disconnectRefused(), checkEvery).unref();
    // Comments, which keep proxies from closing a quiet connection.
    this.#heartbeat = setInterval(() => this.#write(': heartbeat\n\n'), heartbeatEvery);
    this.#heartbeat.unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Until the client goes away, the stream is closed, or the client is not allowed any more. */
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

  #tell(event: PlatformEvent): void {
    if (this.#clients.size > 0) this.#write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #write(text: string): void {
    for (const client of this.#clients.keys()) {
      if (client.writableLength > mostUnread) client.destroy();
      else client.write(text);
    }
  }
}
