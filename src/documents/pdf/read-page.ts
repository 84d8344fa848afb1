import type { Box } from '../element.ts';
import { addLinks, type PageParts } from '../layout/build-page.ts';
import { type Quarter, turnBack } from '../layout/geometry.ts';
import type { Word } from '../layout/page-content.ts';
import { frameOf } from './page-frame.ts';
import { readGraphics } from './page-graphics.ts';
import { readLinks } from './page-links.ts';
import { type PlacedWord, readWords } from './page-words.ts';
import type { PdfFile } from './pdf-file.ts';

/** What a PDF itself says about a page, turned so that most of its text is upright. */
export interface RawPage extends PageParts {
  /** How far the content was turned clockwise on the page. */
  quarter: Quarter;
  /** Characters drawn, and those of them that the fonts give no meaning. */
  characters: number;
  unmapped: number;
  shapes: Box[];
}

const scratchBytes = 4_096;

export function readPage(file: PdfFile, page: number): RawPage {
  const { pdfium } = file;
  const scratch = pdfium.memory.allocate(scratchBytes);
  try {
    const frame = frameOf(pdfium, page, scratch);
    const text = readWords(pdfium, page, frame, scratch);
    const graphics = readGraphics(pdfium, page, frame, scratch);
    const links = readLinks(file, page, frame, scratch);
    const quarter = mainQuarter(text.words);
    const turn = (box: Box) => turnBack(box, quarter, frame.width, frame.height);
    const words = text.words.filter((word) => word.quarter === quarter || word.quarter === undefined);
    const sideways = quarter === 1 || quarter === 3;
    return {
      width: sideways ? frame.height : frame.width,
      height: sideways ? frame.width : frame.height,
      quarter,
      words: addLinks(
        words.map((word) => upright(word, quarter, turn)),
        links.map((link) => ({ ...link, box: turn(link.box) })),
      ),
      rules: graphics.rules.map(turn),
      dots: graphics.dots.map((dot) => ({ ...dot, box: turn(dot.box) })),
      pictures: graphics.pictures.map(turn),
      shapes: graphics.shapes.map(turn),
      characters: text.characters,
      unmapped: text.unmapped,
    };
  } finally {
    pdfium.memory.free(scratch);
  }
}

function mainQuarter(words: PlacedWord[]): Quarter {
  const letters = [0, 0, 0, 0];
  for (const { quarter, text } of words)
    if (quarter !== undefined) letters[quarter] = (letters[quarter] ?? 0) + text.length;
  return letters.indexOf(Math.max(...letters)) as Quarter;
}

function upright({ quarter: own, ...word }: PlacedWord, quarter: Quarter, turn: (box: Box) => Box): Word {
  if (quarter === 0) return word;
  const box = turn(word.box);
  // The origin of a turned letter is not its baseline any more.
  return { ...word, box, baseline: own === undefined ? box.bottom : box.bottom - 0.22 * word.style.size };
}
