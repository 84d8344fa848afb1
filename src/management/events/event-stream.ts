import type { ServerResponse } from 'node:http';
import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { PlatformEvent } from '../../contracts/management/events.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import { describeJob, jobKinds } from '../jobs/describe-job.ts';

export interface EventSources {
  queue: Pick<WorkQueue, 'subscribe'>;
  pods: { onChange(listener: (pod: PodRecord) => void): () => void };
}

/** A client that falls this far behind is let go: it reads the state anew when it comes back. */
const mostUnread = 2 ** 20;

/** Tells every listening client of each change of a job or a pod. */
export class EventStream {
  readonly #clients = new Set<ServerResponse>();
  readonly #stop: (() => void)[];
  readonly #heartbeat: NodeJS.Timeout;

  constructor({ queue, pods }: EventSources, heartbeatEvery = 15_000) {
    this.#stop = [
      queue.subscribe((item) => {
        if ((jobKinds as readonly string[]).includes(item.kind))
          this.#tell({ type: 'job', job: describeJob(item) });
      }),
      pods.onChange((pod) => this.#tell({ type: 'pod', pod })),
    ];
    // Comments, which keep proxies from closing a quiet connection.
    this.#heartbeat = setInterval(() => this.#write(': heartbeat\n\n'), heartbeatEvery);
    this.#heartbeat.unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** From now on until the client goes away or the stream is closed. */
  add(response: ServerResponse, headers: Record<string, string>): void {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.write(': listening\n\n');
    this.#clients.add(response);
    response.once('close', () => this.#clients.delete(response));
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const stop of this.#stop) stop();
    for (const client of this.#clients) client.end();
    this.#clients.clear();
  }

  #tell(event: PlatformEvent): void {
    if (this.#clients.size > 0) this.#write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #write(text: string): void {
    for (const client of this.#clients) {
      if (client.writableLength > mostUnread) client.destroy();
      else client.write(text);
    }
  }
}
