/**
 * A bounded queue between a producer and a reader. A generation that waited for each read would miss its next batch.
 */
export class EventChannel<Event> {
  readonly #limit: number;
  #events: Event[] = [];
  #abandoned = false;
  #end: { error?: unknown } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  constructor(limit = 256) {
    this.#limit = limit;
  }

  /** Returns a promise only if the queue is full and the producer should wait. */
  push(event: Event): Promise<void> | undefined {
    this.#events.push(event);
    this.#wakeReader?.();
    if (this.#abandoned || this.#events.length < this.#limit) return undefined;
    return new Promise((resolve) => {
      this.#wakeWriter = resolve;
    });
  }

  end(): void {
    this.#end ??= {};
    this.#wakeReader?.();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wakeReader?.();
  }

  async *read(): AsyncGenerator<Event> {
    try {
      while (true) {
        const events = this.#events;
        this.#events = [];
        this.#wakeWriter?.();
        yield* events;
        if (this.#events.length > 0) continue;
        if (this.#end) {
          if ('error' in this.#end) throw this.#end.error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    } finally {
      this.#abandoned = true;
      this.#wakeWriter?.();
    }
  }
}
