/** Something that a test requires and a machine may lack: server binaries, Python packages, weights. */
export interface Requirement {
  name: string;
  available: boolean;
  /** Why it is missing; empty if it is available. */
  reason: string;
}

export interface RequirementOptions {
  /** Why `all` does not include it: it is then required only where it is named. */
  unlessAll?: string;
}

/**
 * Probes for something that tests require, once per test file: `describe.skipIf(!postgres.available)`. If it is
 * missing, the probe throws or returns false or a reason; that is printed, and the tests are skipped. With
 * ROUNDHOUSE_TEST_REQUIRE=all (or a comma-separated list of names) the test file fails instead.
 */
export async function requirement(
  name: string,
  probe: () => unknown,
  options: RequirementOptions = {},
): Promise<Requirement> {
  const reason = await reasonMissing(probe);
  if (reason === '') return { name, available: true, reason };
  if (isRequired(name, options)) throw new Error(`${name} is required and missing: ${reason}`);
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

function isRequired(name: string, { unlessAll }: RequirementOptions): boolean {
  const required = (process.env.ROUNDHOUSE_TEST_REQUIRE ?? '')
    .split(',')
    .map((word) => word.trim().toLowerCase());
  return (required.includes('all') && !unlessAll) || required.includes(name.toLowerCase());
}
