import type { FileType } from '../detection/file-types.ts';
import type { PagedReader } from './paged-reader.ts';

/** The readers of PDF files and of pictures are listed here, each loaded by the worker that needs it. */
const readers = new Map<FileType, () => Promise<PagedReader>>();

export const pagedReader = (type: FileType): (() => Promise<PagedReader>) | undefined => readers.get(type);
