/** Polls until a condition holds. The limit allows for a loaded machine; the error names what was awaited. */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  limit = 90_000,
): Promise<Exclude<Value, false | null | undefined>> {
  const deadline = performance.now() + limit;
  for (;;) {
    const value = await look();
    if (value) return value as Exclude<Value, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`timed out after ${limit} ms waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until a count has started to grow and then stops growing. */
export async function untilStill(what: string, count: () => number): Promise<void> {
  let before = -1;
  await until(what, async () => {
    const still = count() === before && before > 0;
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return still;
  });
}
