import { setTimeout } from 'node:timers/promises';

/** Something that a test requires and a machine may lack: server binaries, Python packages, weights. */
export interface Requirement {
  name: string;
  available: boolean;
  /** Why it is missing; empty if it is available. */
  reason: string;
}

export interface RequirementOptions {
  /** Milliseconds between the attempts to get what is required. */
  pause?: number;
}

/**
 * Probes for something that tests require, once per test file: `describe.skipIf(!postgres.available)`. If it is
 * missing, the probe throws or returns false or a reason; that is printed, and the tests are skipped. With
 * ROUNDHOUSE_TEST_REQUIRE=all (or a comma-separated list of names) the test file fails instead, after three attempts:
 * most of it is downloaded, and registries fail now and then.
 */
export async function requirement(
  name: string,
  probe: () => unknown,
  options: RequirementOptions = {},
): Promise<Requirement> {
  const required = isRequired(name);
  let reason = await reasonMissing(probe);
  for (let attempt = 2; attempt <= 3 && required && reason !== '' && reason !== absent; attempt++) {
    process.stderr.write(`${name} is missing, and tried again: ${reason}\n`);
    await setTimeout(options.pause ?? 5_000);
    reason = await reasonMissing(probe);
  }
  if (reason === '') return { name, available: true, reason };
  if (required) throw new Error(`${name} is required and missing: ${reason}`);
  process.stderr.write(`skipped, ${name} is missing: ${reason}\n`);
  return { name, available: false, reason };
}

const absent = 'it was not found';

async function reasonMissing(probe: () => unknown): Promise<string> {
  try {
    const found = await probe();
    if (typeof found === 'string' && found !== '') return found;
    return found === false ? absent : '';
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
