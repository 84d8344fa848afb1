import { htmlTree } from '../markup/html-tree.ts';
import { cleanLine } from './content/clean-text.ts';
import { readBlocks } from './content/read-blocks.ts';
import { PdfDocument } from './file/pdf-document.ts';
import { inlinePictures } from './find-pictures.ts';
import { most, startBudget } from './limits.ts';
import { preparePictures } from './prepare-pictures.ts';
import { frame, page } from './setting/looks.ts';
import { createMeasure } from './setting/measure.ts';
import { PageFlow } from './setting/page-flow.ts';
import { pageFrame, setBlocks } from './setting/set-blocks.ts';
import { setPath } from './setting/set-text.ts';
import type { Faces } from './type/faces.ts';
import type { SentPicture, WebPage } from './web-page.ts';

/** Renders a page as a PDF file, with the path to it at the top. The same page gives the same bytes. */
export async function writePdf(
  { title, path, html, base }: WebPage,
  pictures: readonly SentPicture[],
  faces: Faces,
): Promise<Buffer> {
  const budget = startBudget();
  const tree = htmlTree(html, most.nodes);
  const prepared = await preparePictures([...pictures, ...inlinePictures(tree)], budget);
  const blocks = readBlocks(tree, { base: `${base}/`, pictures: prepared, budget });
  const document = new PdfDocument(faces, page);
  const measure = createMeasure(faces);
  const flow = new PageFlow(document, budget);
  const name = cleanLine(title);
  flow.place([
    ...setPath([...path, title], frame.width, { measure, budget }),
    ...setBlocks([{ kind: 'heading', level: 0, runs: [{ text: name }] }, ...blocks], pageFrame, {
      measure,
      document,
      budget,
    }),
  ]);
  flow.number(measure);
  return document.finish(name);
}
