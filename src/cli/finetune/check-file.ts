import { createReadStream } from 'node:fs';
import { type InputIssue, InvalidInput } from '../../contracts/problems.ts';
import { CheckedDataset } from '../../management/datasets/check-dataset.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { requireReadable } from '../server/management-api.ts';

/** Checks a file of conversations as the platform will, before it is sent there. Returns their number. */
export async function checkFile(file: string): Promise<number> {
  await requireReadable(file);
  const checked = new CheckedDataset(createReadStream(file), { largest: Number.POSITIVE_INFINITY });
  try {
    for await (const _ of checked.pieces());
  } catch (error) {
    if (error instanceof InvalidInput) throw new StartupError(describe(file, error.issues));
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw new StartupError(`${file} is a folder; give a file of conversations`);
    throw error;
  }
  return checked.examples;
}

const describe = (file: string, issues: InputIssue[]) =>
  `${file}: ${issues.map(({ loc, msg }) => [...loc.slice(2), msg].join(': ')).join('; ')}`;
