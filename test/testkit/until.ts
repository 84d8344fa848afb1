/** Waits for a condition that no event tells of. The limit is for a machine under load, and says what was awaited. */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  limit = 40_000,
): Promise<Exclude<Value, false | null | undefined>> {
  const deadline = performance.now() + limit;
  for (;;) {
    const value = await look();
    if (value) return value as Exclude<Value, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${limit} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until a count that has begun to grow grows no more. */
export async function untilStill(what: string, count: () => number): Promise<void> {
  let before = -1;
  await until(what, async () => {
    const still = count() === before && before > 0;
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return still;
  });
}
