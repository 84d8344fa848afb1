import type { FileType } from '../detection/file-types.ts';
import type { PagedReader } from './paged-reader.ts';

/** The readers of PDF files and of pictures are listed here, each loaded by the worker that needs it. */
const pages = async (): Promise<PagedReader> => (await import('./pages-of-files.ts')).pagesOfFiles;
const types: FileType[] = ['pdf', 'png', 'jpeg', 'tiff', 'webp', 'heic', 'avif', 'gif'];
const readers = new Map<FileType, () => Promise<PagedReader>>(types.map((type) => [type, pages]));

export const pagedReader = (type: FileType): (() => Promise<PagedReader>) | undefined => readers.get(type);
