import type { Account, Bank, Draw, Drawn } from '../../platform/metering/leases/bank.ts';
import type { FromWorker } from './messages.ts';

/** Requests quota from the main thread, which has the database. */
export class RemoteBank implements Bank {
  readonly #send: (message: FromWorker) => void;
  readonly #open = new Map<number, (drawn: Drawn) => void>();
  #count = 0;

  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
  }

  draw(draw: Draw): Promise<Drawn> {
    const question = this.#count++;
    return new Promise((resolve) => {
      this.#open.set(question, resolve);
      this.#send({ kind: 'draw', question, draw });
    });
  }

  settle(account: Account): void {
    this.#send({ kind: 'settle', account });
  }

  answered(question: number, drawn: Drawn): void {
    this.#open.get(question)?.(drawn);
    this.#open.delete(question);
  }
}
