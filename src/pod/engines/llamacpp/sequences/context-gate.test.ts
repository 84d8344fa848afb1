import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ContextGate } from './context-gate.ts';

/** Evaluations that note when they start, and end when told to. */
function recorded() {
  const gate = new ContextGate();
  const started: (number | string)[] = [];
  const ends = new Map<number, () => void>();
  const evaluate = (number: number) =>
    gate.evaluation(number, () => {
      started.push(number);
      return new Promise<void>((resolve) => ends.set(number, resolve));
    });
  const settled = async () => {
    for (let turn = 0; turn < 3; turn++) await setImmediate();
  };
  return { gate, started, evaluate, settled, end: (number: number) => ends.get(number)?.() };
}

describe('the steps of a context', () => {
  it('start their sequences in the order of their numbers, whichever was ready first', async () => {
    const { started, evaluate, settled } = recorded();
    for (const number of [3, 5, 4, 6, 2, 0, 1, 7]) void evaluate(number);
    await settled();
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('begin when all of the last one have their results', async () => {
    const { started, evaluate, settled, end } = recorded();
    void evaluate(1);
    void evaluate(0);
    await settled();
    void evaluate(2);
    end(1);
    await settled();
    expect(started).toEqual([0, 1]);
    void evaluate(1);
    end(0);
    await settled();
    expect(started).toEqual([0, 1, 1, 2]);
  });

  it('leave room between them for work that must be alone', async () => {
    const { gate, started, evaluate, settled, end } = recorded();
    void evaluate(0);
    await settled();
    void evaluate(1);
    const alone = gate.alone(async () => {
      started.push('alone');
    });
    await settled();
    expect(started).toEqual([0]);
    end(0);
    await alone;
    await settled();
    expect(started).toEqual([0, 'alone', 1]);
  });

  it('go on after an evaluation that fails', async () => {
    const { gate, started, evaluate, settled } = recorded();
    await expect(gate.evaluation(0, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    void evaluate(1);
    await settled();
    expect(started).toEqual([1]);
  });
});
