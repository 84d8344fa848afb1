/** Something a test needs and a machine or a network may lack: server binaries, Python packages, weights. */
export interface Requirement {
  name: string;
  available: boolean;
  /** Why it is not there; empty where it is. */
  reason: string;
}

/**
 * Looks for what a test needs, once a test file: `describe.skipIf(!postgres.available)`. The probe throws, or returns
 * false or a reason in words, where the thing is missing. What is missing is said on the terminal and skipped;
 * with ROUNDHOUSE_TEST_REQUIRE=all (or a comma-separated list of names) it fails the test file instead.
 */
export async function requirement(name: string, probe: () => unknown): Promise<Requirement> {
  const reason = await reasonMissing(probe);
  if (reason === '') return { name, available: true, reason };
  if (isRequired(name)) throw new Error(`${name} is required and missing: ${reason}`);
  process.stderr.write(`skipped, ${name} is missing: ${reason}\n`);
  return { name, available: false, reason };
}

async function reasonMissing(probe: () => unknown): Promise<string> {
  try {
    const found = await probe();
    if (typeof found === 'string' && found !== '') return found;
    return found === false ? 'it was not found' : '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isRequired(name: string): boolean {
  const required = (process.env.ROUNDHOUSE_TEST_REQUIRE ?? '')
    .split(',')
    .map((word) => word.trim().toLowerCase());
  return required.includes('all') || required.includes(name.toLowerCase());
}
