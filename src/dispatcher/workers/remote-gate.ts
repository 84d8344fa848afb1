import type { Clock } from '../../contracts/clock.ts';
import { Forbidden, type Problem, Unauthenticated } from '../../contracts/problems.ts';
import type { Claim, KeyLimits, Place } from '../../platform/metering/key-limits.ts';
import type { KeyRows } from '../../platform/metering/memory/key-rows.ts';
import type { Admitted } from '../calls/admission/admit-to-surface.ts';
import type { Gate } from '../calls/admission/gate.ts';
import { type Verdict, Verdicts } from '../calls/admission/verdicts.ts';
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

  begin({ caller }: Verdict) {
    return this.#limits.begin(caller);
  }

  enter({ caller }: Verdict, claim: Claim, begun: Place) {
    return this.#limits.enter(caller, claim, begun);
  }

  async #ask(authorization: string | undefined): Promise<Verdict> {
    const { caller, onlyBots } = await this.#asked.ask(this.#prefix, authorization);
    return this.#verdicts.keep(authorization, caller, onlyBots);
  }
}

/** Pending questions to the main thread. Identical questions are sent only once. */
export class Questions {
  readonly #send: (message: FromWorker) => void;
  readonly #rows: KeyRows;
  readonly #open = new Map<number, { resolve(admitted: Admitted): void; reject(problem: Problem): void }>();
  readonly #same = new Map<string, Promise<Admitted>>();
  #count = 0;

  constructor(send: (message: FromWorker) => void, rows: KeyRows) {
    this.#send = send;
    this.#rows = rows;
  }

  ask(prefix: string, authorization: string | undefined): Promise<Admitted> {
    const key = `${prefix} ${authorization ?? ''}`;
    const pending = this.#same.get(key);
    if (pending) return pending;
    const question = this.#count++;
    const answer = new Promise<Admitted>((resolve, reject) => this.#open.set(question, { resolve, reject }));
    this.#same.set(key, answer);
    const forget = () => this.#same.delete(key);
    answer.then(forget, forget);
    this.#send({ kind: 'identify', question, prefix, authorization });
    return answer;
  }

  answered(answer: Answer) {
    const waiting = this.#open.get(answer.question);
    this.#open.delete(answer.question);
    if (answer.kind === 'caller') {
      if (answer.caller.kind === 'key' && answer.row >= 0) this.#rows.set(answer.caller.id, answer.row);
      const onlyBots = answer.onlyBots === undefined ? undefined : new Forbidden(answer.onlyBots);
      return waiting?.resolve({ caller: answer.caller, onlyBots });
    }
    const { status, message } = answer;
    waiting?.reject(
      status === 403
        ? new Forbidden(message)
        : new Unauthenticated(message, { headers: { 'www-authenticate': 'Bearer' } }),
    );
  }
}
