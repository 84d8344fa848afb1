/** A place in the queue, which allows leaving it early. */
export interface Ticket<T> {
  readonly key: string;
  readonly item: T;
  waiting: boolean;
}

/**
 * A queue that is fair between keys: first in, first out per key, and round-robin over the keys. A key with a
 * thousand requests delays its own requests, not those of others.
 */
export class WaitingLine<T> {
  readonly #lines = new Map<string, Ticket<T>[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(key: string, item: T): Ticket<T> {
    const ticket = { key, item, waiting: true };
    const line = this.#lines.get(key);
    if (line) line.push(ticket);
    else this.#lines.set(key, [ticket]);
    this.#size++;
    return ticket;
  }

  /** Removes and returns the next item. */
  shift(): T | undefined {
    for (const [key, line] of this.#lines) {
      this.#lines.delete(key);
      const ticket = line.shift();
      if (line.length > 0) this.#lines.set(key, line);
      if (!ticket) continue;
      ticket.waiting = false;
      this.#size--;
      return ticket.item;
    }
    return undefined;
  }

  remove(ticket: Ticket<T>): void {
    if (!ticket.waiting) return;
    ticket.waiting = false;
    this.#size--;
    const line = this.#lines.get(ticket.key);
    if (!line) return;
    line.splice(line.indexOf(ticket), 1);
    if (line.length === 0) this.#lines.delete(ticket.key);
  }
}
