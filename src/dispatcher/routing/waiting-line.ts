/** A place in the line. */
export interface Ticket<T> {
  readonly key: string;
  readonly item: T;
  waiting: boolean;
}

/** A queue that is fair between keys: each key's requests stay in order, and the keys take turns. */
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

  /** All tickets in the order of their turns. The line must not change in the meantime. */
  *inTurn(): Generator<Ticket<T>> {
    for (let round = 0, found = true; found; round++) {
      found = false;
      for (const line of this.#lines.values()) {
        const ticket = line[round];
        if (!ticket) continue;
        found = true;
        yield ticket;
      }
    }
  }

  /** Takes out a ticket that had its turn: the key's next turn comes after those of all others. */
  take(ticket: Ticket<T>): void {
    this.remove(ticket);
    const line = this.#lines.get(ticket.key);
    if (!line) return;
    this.#lines.delete(ticket.key);
    this.#lines.set(ticket.key, line);
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
