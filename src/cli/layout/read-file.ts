import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DocumentElement } from '../../documents/element.ts';
import type { Documents, ReadingSummary, ReadOptions } from '../../documents/read-document.ts';
import { Unreadable } from '../../documents/unreadable.ts';
import { isWanted, type WantedPages } from './page-range.ts';

export interface ReadFile {
  path: string;
  name: string;
  elements: DocumentElement[];
  summary: ReadingSummary;
}

/** A file that could not be read, with the reason for the person who named it. */
export interface FailedFile {
  path: string;
  failure: string;
}

interface Reading {
  documents: Pick<Documents, 'read'>;
  options: ReadOptions & { pages?: WantedPages };
  signal: AbortSignal;
  onElement(path: string): void;
}

export async function readFile(
  { documents, options, signal, onElement }: Reading,
  path: string,
): Promise<ReadFile | FailedFile> {
  const name = basename(path);
  const elements: DocumentElement[] = [];
  try {
    if ((await stat(path)).isDirectory()) return { path, failure: 'is a folder; name the files in it' };
    const reading = documents.read({ path, name }, options, signal);
    for await (const element of reading) {
      if (isWanted(element, options.pages ?? {})) elements.push(element);
      onElement(path);
    }
    return { path, name, elements, summary: await reading.summary };
  } catch (error) {
    signal.throwIfAborted();
    return { path, failure: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file';
  if (code === undefined) throw error;
  return `can't be read (${code})`;
}
