// Plain JavaScript for whatever Node the machine has (20 or newer): it runs before Node 24 is there.

/** Runs one step of the set-up and shows that it is going on: a moving line on a terminal, two lines in a log. */
export async function step(title, work) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const terminal = process.stderr.isTTY;
  if (!terminal) process.stderr.write(`${title} …\n`);
  const timer = terminal && setInterval(() => process.stderr.write(`\r\x1b[K${title} … ${seconds()}`), 200);
  try {
    const result = await work();
    process.stderr.write(`${terminal ? '\r\x1b[K' : ''}${title}: done in ${seconds()}\n`);
    return result;
  } finally {
    if (timer) clearInterval(timer);
  }
}

/** A set-up failure that the person at the terminal can act on: printed as it is, without a stack. */
export class SetupError extends Error {}
