// Plain JavaScript for the machine's own Node (20 or newer), because this runs before Node 24 is installed.

/** Runs a setup step and shows its duration: one updated line on a terminal, occasional lines in a log. */
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

/** A setup failure that the user can fix; printed without a stack. */
export class SetupError extends Error {}
