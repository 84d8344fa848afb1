/** Runs at most `limit` at the same time, and gives the results in the order of the inputs. */
export async function* inOrder<Input, Result>(
  inputs: readonly Input[],
  limit: number,
  run: (input: Input) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  const start = (input: Input) => {
    const result = run(input);
    // It is awaited later; until then a failure must not count as unhandled.
    result.catch(() => {});
    running.push(result);
  };
  for (const input of inputs.slice(0, limit)) start(input);
  for (let next = limit; running.length > 0; next++) {
    const result = await (running.shift() as Promise<Result>);
    if (next < inputs.length) start(inputs[next] as Input);
    yield result;
  }
}
