import { sharedPdfium } from '../pdf/shared-pdfium.ts';
import type { Task } from '../workers/tasks.ts';
import type { Faces } from './type/faces.ts';
import type { SentPicture, WebPage } from './web-page.ts';

const pieceBytes = 1 << 18;

export interface WritePdfInput {
  page: WebPage;
  pictures: SentPicture[];
}

export interface AddPathInput {
  file: Uint8Array;
  path: readonly string[];
}

/** Tasks of workers that make files of pages. Their code is loaded with the first page. */
export function writingTasks(): [string, Task][] {
  let opened: Faces | undefined;
  const openFaces = async () => {
    const { openFaces: open } = await import('./type/faces.ts');
    opened ??= open();
    return opened;
  };
  return [
    [
      'find-pictures',
      async function* findPicturesOf({ html, base }: WebPage) {
        const [{ htmlTree }, { findPictures }, { most }] = await Promise.all([
          import('../markup/html-tree.ts'),
          import('./find-pictures.ts'),
          import('./limits.ts'),
        ]);
        yield* findPictures(htmlTree(html, most.nodes), base);
      },
    ],
    [
      'write-pdf',
      async function* pdfOf({ page, pictures }: WritePdfInput) {
        const [{ writePdf }, faces] = await Promise.all([import('./write-pdf.ts'), openFaces()]);
        yield* pieces(await writePdf(page, pictures, faces));
      },
    ],
    [
      'add-path',
      async function* withPath({ file, path }: AddPathInput) {
        const [{ addPath }, faces] = await Promise.all([import('./add-path.ts'), openFaces()]);
        const tools = { pdfium: await sharedPdfium.open(), faces };
        try {
          yield* pieces(addPath(tools, file, path));
        } catch (error) {
          throw sharedPdfium.afterCrash(error);
        }
      },
    ],
    [
      'write-html',
      async function* htmlOf(page: WebPage) {
        const { writeHtmlPage } = await import('./write-html-page.ts');
        yield* pieces(Buffer.from(writeHtmlPage(page)));
      },
    ],
  ];
}

function* pieces(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
