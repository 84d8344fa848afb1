/** Acknowledges the first Ctrl+C at once and stops; the second one quits. Returns a function that ends this. */
export function onInterrupt(stop: (signal: NodeJS.Signals) => void): () => void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    if (signal === 'SIGINT') process.stderr.write('\nStopping …; press Ctrl+C again to quit at once\n');
    stop(signal);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}
