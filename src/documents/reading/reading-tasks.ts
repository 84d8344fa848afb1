import { detectType } from '../detection/detect-type.ts';
import { type FileType, mimeOf } from '../detection/file-types.ts';
import { numberElements } from '../drafts/number-elements.ts';
import type { DocumentElement } from '../element.ts';
import { formatReader } from '../formats/format-readers.ts';
import { pagedReader } from '../paged/paged-readers.ts';
import { pagedTasks } from '../paged/paged-tasks.ts';
import { decodeHeic, type HeicInput } from '../pictures/decode-heic.ts';
import { Unreadable } from '../unreadable.ts';
import type { Task, Tasks } from '../workers/tasks.ts';
import { writingTasks } from '../writing/writing-tasks.ts';

export interface FileInput {
  path: string;
  name: string;
  mime?: string;
  encoding?: string;
  xmlKeepTags?: boolean;
  pageBreaks?: boolean;
  languages?: string[];
  scratch: string;
  mostBytes: number;
}

export interface FileResult {
  type: FileType;
  /** The highest page number seen; undefined for formats without pages. */
  pages?: number;
  /** The file is read by pages instead, and gave no elements yet. */
  paged: boolean;
}

/** Finds out what a file is, and reads it unless it is one of pages. */
async function* readFile(input: FileInput): AsyncGenerator<DocumentElement, FileResult> {
  const type = await detectType(input);
  if (pagedReader(type)) return { type, paged: true };
  const read = formatReader(type);
  if (!read) throw new Unreadable('unsupported', `File type ${mimeOf(type)} is not supported.`);
  let pages: number | undefined;
  for await (const element of numberElements(read(input), input)) {
    if (element.page !== undefined) pages = Math.max(pages ?? 0, element.page);
    yield element;
  }
  return { type, pages, paged: false };
}

// biome-ignore lint/correctness/useYield: a task without items.
async function* decodePicture(input: HeicInput): AsyncGenerator<never, string> {
  return decodeHeic(input);
}

export const tasks: Tasks = new Map<string, Task>([
  ['read-file', readFile],
  ['decode-picture', decodePicture],
  ...pagedTasks(pagedReader),
  ...writingTasks(),
]);
