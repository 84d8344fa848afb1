// Plain JavaScript for whatever Node the machine has (20 or newer): it runs before Node 24 is there.

/** Runs one step of the set-up and shows that it is going on: a moving line on a terminal, a line now and then in a log. */
export async function step(title, work) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const terminal = process.stderr.isTTY;
  const erase = terminal ? '\r\x1b[K' : '';
  const show = () => process.stderr.write(`${erase}${title} … ${terminal ? seconds() : `${seconds()}\n`}`);
  process.stderr.write(`${title} …${terminal ? '' : '\n'}`);
  const timer = setInterval(show, terminal ? 200 : 15_000);
  try {
    const result = await work();
    process.stderr.write(`${erase}${title}: done in ${seconds()}\n`);
    return result;
  } catch (error) {
    process.stderr.write(erase);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A set-up failure that the person at the terminal can act on: printed as it is, without a stack. */
export class SetupError extends Error {}
