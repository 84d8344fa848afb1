import { buildPage, type PageParts } from '../layout/build-page.ts';
import type { PageContent } from '../layout/page-content.ts';
import { rowsOf } from '../layout/rows.ts';
import { lineText, toLine } from '../layout/text-line.ts';
import type { Picture } from '../pictures/picture.ts';
import type { Vision } from '../vision/open-vision.ts';
import { addRoles, lookAtPage } from './look-at-page.ts';
import { type Turn, toPageContent } from './to-page-content.ts';

/** Adds what the models see to the words of a page. */
export async function seePage(
  vision: Vision,
  parts: PageParts & Turn,
  picture: Picture,
  scale: number,
  number: number,
  source: PageContent['source'],
): Promise<PageContent> {
  const view = await lookAtPage(vision, { ...parts, picture, scale });
  const labels = new Set(view.figures.flatMap((figure) => figure.words));
  const words = parts.words.filter((word) => !labels.has(word));
  const pictures = [...parts.pictures, ...view.figures.map((figure) => figure.box)];
  const { blocks } = buildPage({ ...parts, words, pictures, tables: view.tables });
  for (const block of blocks) {
    const figure = block.type === 'picture' && view.figures.find((one) => one.box === block.box);
    if (figure)
      block.text = rowsOf(figure.words)
        .map((row) => lineText(toLine(row)))
        .join('\n');
  }
  return toPageContent(parts, number, addRoles(blocks, view.regions), source);
}
