import type { Box } from '../element.ts';
import { times } from '../layout/geometry.ts';
import { renderPage } from '../pdf/render-page.ts';
import { openPictures } from '../pictures/open-pictures.ts';
import { crop, type Picture, rotate, toJpeg, toPng } from '../pictures/picture.ts';
import type { CutPage, DrawnPage } from './drawn-page.ts';
import type { PdfFiles } from './pdf-files.ts';

/** A file whose pages can be drawn. */
export interface DrawnFile {
  path: string;
  kind: 'pdf' | 'image';
}

/** Around an element in its picture, in points. */
const pictureMargin = 4;

const [drawnResolution, cutResolution] = [100, 200];

/** The picture of a page as a PNG file. */
export async function drawPage(
  files: PdfFiles,
  file: DrawnFile,
  page: DrawnPage,
): Promise<Uint8Array | undefined> {
  const picture = await pictureOf(files, file, page, drawnResolution);
  return picture && toPng(picture);
}

/** Parts of a page, as JPEG files. */
export async function* cutPage(files: PdfFiles, file: DrawnFile, page: CutPage): AsyncGenerator<Uint8Array> {
  const picture = await pictureOf(files, file, page, cutResolution);
  if (!picture) return;
  const scale = picture.width / page.width;
  for (const box of page.boxes) yield await toJpeg(crop(picture, times(widened(box), scale)));
}

async function pictureOf(
  files: PdfFiles,
  { path, kind }: DrawnFile,
  { number, turned = 0 }: DrawnPage,
  resolution: number,
): Promise<Picture | undefined> {
  const flat =
    kind === 'pdf'
      ? await files.use(path, (file) =>
          file.withPage(number, (page) => renderPage(file.pdfium, page, resolution)),
        )
      : await pictureAt(path, number);
  return flat && turned !== 0 ? rotate(flat, turned) : flat;
}

async function pictureAt(path: string, number: number): Promise<Picture | undefined> {
  for await (const { picture } of openPictures(path, { from: number, to: number })) return picture;
  return undefined;
}

/** Boxes of text end where its letters end, and those of tables may leave out their outer lines. */
const widened = ({ left, top, right, bottom }: Box): Box => ({
  left: left - pictureMargin,
  top: top - pictureMargin,
  right: right + pictureMargin,
  bottom: bottom + pictureMargin,
});
