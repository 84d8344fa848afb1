import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Draft } from '../../drafts/draft.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';
import { readDocx } from './docx/read-docx.ts';
import { writeProfile } from './libreoffice-profile.ts';
import { readPptx } from './pptx/read-pptx.ts';
import { readXlsx } from './xlsx/read-xlsx.ts';

const run = promisify(execFile);
const readers = { doc: readDocx, ppt: readPptx, xls: readXlsx } as const;
/** Of the converter: address space in KiB, and the largest file that it writes in blocks of 512 bytes. */
const limits = 'ulimit -v 4194304; ulimit -f 1048576; ';

/** Reads a file of Office 97–2003 after LibreOffice has turned it into its successor. */
export const readLegacy = (type: keyof typeof readers) =>
  async function* (input: FormatInput): AsyncGenerator<Draft> {
    const folder = input.scratch;
    await mkdir(folder, { recursive: true });
    // The name under which it was sent may mean something to a program; the converter gets a plain one.
    const source = join(folder, `document.${type}`);
    await copyFile(input.path, source);
    await convert(source, folder, `${type}x`, type);
    const converted = (await readdir(folder)).find((name) => name === `document.${type}x`);
    if (!converted) throw new Unreadable('invalid', 'The file is damaged: it can’t be converted.');
    yield* readers[type]({ ...input, path: join(folder, converted) });
  };

/** Runs in the worker's process group, so that it ends with the worker if it takes too long. */
async function convert(source: string, folder: string, to: string, type: string): Promise<void> {
  const profile = join(folder, 'profile');
  await writeProfile(profile);
  const args = [
    '--headless',
    '--norestore',
    `-env:UserInstallation=${pathToFileURL(profile).href}`,
    '--convert-to',
    to,
    '--outdir',
    folder,
    source,
  ];
  try {
    await run('sh', ['-c', `${limits}exec soffice "$@"`, 'soffice', ...args], { cwd: folder });
  } catch (error) {
    if ((error as { code?: unknown }).code !== commandNotFound) {
      throw new Unreadable('invalid', 'The file is damaged: it can’t be converted.', { cause: error });
    }
    throw new Unreadable(
      'no converter',
      `Files of type .${type} are read with LibreOffice, which is not installed here. Save the file as .${type}x, or install LibreOffice.`,
    );
  }
}

/** By which a shell says so. */
const commandNotFound = 127;
