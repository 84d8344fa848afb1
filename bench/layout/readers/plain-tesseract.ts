import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PdfFiles } from '../../../src/documents/pages/pdf-files.ts';
import { renderPage } from '../../../src/documents/pdf/render-page.ts';
import { toPng } from '../../../src/documents/pictures/picture.ts';

const run = promisify(execFile);
/** As in our own reader. */
const resolution = 200;
const atOnce = 2;

/**
 * Pages per second of Tesseract alone, on the pictures of the same pages: no reader that uses it can be faster than
 * this on the same machine.
 */
export async function plainTesseract(files: readonly { path: string; language: string }[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-tesseract-'));
  try {
    const pages = await drawPages(files, folder);
    const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
    const waiting = [...pages];
    const begun = performance.now();
    const work = async () => {
      for (let page = waiting.shift(); page; page = waiting.shift())
        await run('tesseract', [page.path, page.path, '-l', page.language, '--dpi', String(resolution)], {
          env,
        });
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return pages.length / ((performance.now() - begun) / 1000);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function drawPages(files: readonly { path: string; language: string }[], folder: string) {
  const opened = new PdfFiles();
  const drawn: { path: string; language: string }[] = [];
  for (const { path, language } of files) {
    const pictures = await opened.use(path, (file) =>
      Array.from({ length: file.pages }, (_, at) =>
        file.withPage(at + 1, (page) => renderPage(file.pdfium, page, resolution)),
      ),
    );
    for (const picture of pictures) {
      const target = join(folder, `${drawn.length}.png`);
      writeFileSync(target, await toPng(picture));
      drawn.push({ path: target, language });
    }
  }
  opened.close();
  return drawn;
}
