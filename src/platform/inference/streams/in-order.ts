type Outcome<Value> = { value: Value } | { error: unknown };
type Slot<Value> = { outcome?: Outcome<Value> };

/**
 * Works on several items at once and yields the results in the items' order. At most `atOnce` items are under way or
 * wait to be taken, so a slow consumer stops the source. The first failure, or leaving the loop, aborts the others.
 */
export async function* inOrder<Item, Result>(
  source: AsyncIterable<Item>,
  atOnce: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const iterator = source[Symbol.asyncIterator]();
  // No Promise.race over the signal: each would leave a reaction behind on a promise that outlives it.
  let wake = () => {};
  const news = () => wake();
  either.addEventListener('abort', news);
  const started: Slot<Result>[] = [];
  let pulled: Slot<IteratorResult<Item>> | undefined;
  let exhausted = false;
  try {
    while (!exhausted || started.length > 0) {
      either.throwIfAborted();
      if (!exhausted && started.length < atOnce) pulled ??= settling(iterator.next(), news);
      const [first] = started;
      if (pulled?.outcome) {
        const step = unwrap(pulled.outcome);
        pulled = undefined;
        if (step.done) exhausted = true;
        else started.push(settling(work(step.value, either), news));
      } else if (first?.outcome) {
        started.shift();
        yield unwrap(first.outcome);
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    either.removeEventListener('abort', news);
    if (started.length > 0) stop.abort();
    // Not awaited: a source that is stuck would hold the caller up.
    if (!exhausted) settling(Promise.resolve(iterator.return?.()), news);
  }
}

function settling<Value>(promise: Promise<Value>, news: () => void): Slot<Value> {
  const slot: Slot<Value> = {};
  promise
    .then(
      (value) => {
        slot.outcome = { value };
      },
      (error: unknown) => {
        slot.outcome = { error };
      },
    )
    .then(news);
  return slot;
}

function unwrap<Value>(outcome: Outcome<Value>): Value {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
