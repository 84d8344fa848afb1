import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Draft } from '../../drafts/draft.ts';
import { runLimited } from '../../programs/run-limited.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';
import { readDocx } from './docx/read-docx.ts';
import { writeProfile } from './libreoffice-profile.ts';
import { readPptx } from './pptx/read-pptx.ts';
import { readXlsx } from './xlsx/read-xlsx.ts';

const readers = { doc: readDocx, ppt: readPptx, xls: readXlsx } as const;
const limits = { memory: 2 ** 32, fileSize: 2 ** 29 };

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
  const found = await runLimited('soffice', args, { folder, limits }).catch((error) => {
    throw new Unreadable('invalid', 'The file is damaged: it can’t be converted.', { cause: error });
  });
  if (found) return;
  throw new Unreadable(
    'no converter',
    `Files of type .${type} are read with LibreOffice, which is not installed here. Save the file as .${type}x, or install LibreOffice.`,
  );
}
