import type { Clock } from '../../contracts/clock.ts';
import { Forbidden, type Problem, Unauthenticated } from '../../contracts/problems.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Claim, KeyLimits } from '../../platform/metering/key-limits.ts';
import type { KeyRows } from '../../platform/metering/key-rows.ts';
import type { Gate } from '../calls/context.ts';
import { type Verdict, Verdicts } from '../calls/verdicts.ts';
import type { FromWorker, ToWorker } from './messages.ts';

type Answer = Extract<ToWorker, { kind: 'caller' | 'refused' }>;

/** Asks the main thread who a caller is, and remembers the answer briefly. `clock` must be monotonic. */
export class RemoteGate implements Gate<Verdict> {
  readonly #verdicts: Verdicts;
  readonly #asked: Questions;
  readonly #prefix: string;
  readonly #limits: KeyLimits;

  constructor(prefix: string, asked: Questions, limits: KeyLimits, clock: Clock) {
    this.#prefix = prefix;
    this.#asked = asked;
    this.#limits = limits;
    this.#verdicts = new Verdicts(clock);
  }

  identify(authorization: string | undefined): Verdict | Promise<Verdict> {
    return this.#verdicts.get(authorization) ?? this.#ask(authorization);
  }

  enter({ caller }: Verdict, claim: Claim) {
    return this.#limits.enter(caller, claim);
  }

  async #ask(authorization: string | undefined): Promise<Verdict> {
    return this.#verdicts.keep(authorization, await this.#asked.ask(this.#prefix, authorization));
  }
}

/** Questions to the main thread that wait for their answers; equal ones are asked once. */
export class Questions {
  readonly #send: (message: FromWorker) => void;
  readonly #rows: KeyRows;
  readonly #open = new Map<number, { resolve(caller: Caller): void; reject(problem: Problem): void }>();
  readonly #same = new Map<string, Promise<Caller>>();
  #count = 0;

  constructor(send: (message: FromWorker) => void, rows: KeyRows) {
    this.#send = send;
    this.#rows = rows;
  }

  ask(prefix: string, authorization: string | undefined): Promise<Caller> {
    const place = `${prefix} ${authorization ?? ''}`;
    const under = this.#same.get(place);
    if (under) return under;
    const question = this.#count++;
    const answer = new Promise<Caller>((resolve, reject) => this.#open.set(question, { resolve, reject }));
    this.#same.set(place, answer);
    const forget = () => this.#same.delete(place);
    answer.then(forget, forget);
    this.#send({ kind: 'identify', question, prefix, authorization });
    return answer;
  }

  answered(answer: Answer) {
    const waiting = this.#open.get(answer.question);
    this.#open.delete(answer.question);
    if (answer.kind === 'caller') {
      if (answer.caller.kind === 'key' && answer.row >= 0) this.#rows.set(answer.caller.id, answer.row);
      return waiting?.resolve(answer.caller);
    }
    const { status, message } = answer;
    waiting?.reject(
      status === 403
        ? new Forbidden(message)
        : new Unauthenticated(message, { headers: { 'www-authenticate': 'Bearer' } }),
    );
  }
}
