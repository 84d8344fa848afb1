import { describe, expect, it } from 'vitest';
import { PromptPace } from './prompt-pace.ts';

/** The chunk that a machine of this speed settles on, with so many prompts at once. */
function settled(tokensPerSecond: number, prompts = 1): number {
  const pace = new PromptPace();
  for (let prompt = 0; prompt < prompts; prompt++) pace.begin();
  for (let step = 0; step < 50; step++)
    pace.measured(pace.chunk, (pace.chunk * prompts * 1000) / tokensPerSecond);
  return pace.chunk;
}

describe('the chunks of a prompt', () => {
  it('take about 100 ms, whatever the machine', () => {
    expect(settled(700)).toBe(64);
    expect(settled(2000)).toBe(192);
  });

  it('are neither too small to be worth it nor larger than a batch', () => {
    expect(settled(20)).toBe(64);
    expect(settled(100_000)).toBe(512);
  });

  it('share a step with the other prompts', () => {
    expect(settled(2000, 4)).toBe(48);
    expect(settled(350, 8)).toBe(8);
  });

  it('grow again when the other prompts are done', () => {
    const pace = new PromptPace();
    const [first, second] = [pace.begin(), pace.begin()];
    expect(pace.chunk).toBe(32);
    second();
    expect(pace.chunk).toBe(64);
    first();
  });
});
