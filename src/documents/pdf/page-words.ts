import type { Box } from '../element.ts';
import type { Quarter } from '../layout/geometry.ts';
import type { Style, Word } from '../layout/page-content.ts';
import { type FontLook, fontLook } from './font-look.ts';
import type { Pdfium } from './open-pdfium.ts';
import type { PageFrame } from './page-frame.ts';

/** A word with the direction of its letters; undefined if that is not a multiple of 90°. */
export interface PlacedWord extends Word {
  quarter: Quarter | undefined;
}

export interface PageText {
  words: PlacedWord[];
  /** Characters for which the font has no meaning, of those drawn. */
  unmapped: number;
  characters: number;
}

/** Page text beyond this is not written by people. */
const characterLimit = 200_000;
/** A gap of this many font sizes separates words, even if the file has no space there. */
const wordGap = 0.22;

export function readWords(pdfium: Pdfium, page: number, frame: PageFrame, scratch: number): PageText {
  const text = pdfium.FPDFText_LoadPage(page);
  if (text === 0) return { words: [], unmapped: 0, characters: 0 };
  try {
    return collect(new Glyphs(pdfium, text, frame, scratch));
  } finally {
    pdfium.FPDFText_ClosePage(text);
  }
}

function collect(glyphs: Glyphs): PageText {
  const words: PlacedWord[] = [];
  let open: OpenWord | undefined;
  let [unmapped, characters] = [0, 0];
  const finish = () => {
    if (open) words.push(open.finish());
    open = undefined;
  };
  const count = Math.min(glyphs.count, characterLimit);
  for (let index = 0; index < count; index += 1) {
    const code = glyphs.codeAt(index);
    if (code <= 32 || code === 0xa0 || isSpace(code)) {
      // PDFium reports a hyphen at the end of a line as 2.
      if (code === 2) open?.add('-', glyphs.boxAt(index));
      else finish();
      continue;
    }
    const box = glyphs.boxAt(index);
    characters += 1;
    if (isUnmapped(code)) unmapped += 1;
    if (open && !open.continuesAt(box)) finish();
    open ??= glyphs.openWordAt(index, box);
    if (code === 0xfffe || code === 0xffff) open.add('-', box);
    else open.add(String.fromCodePoint(code), box);
  }
  finish();
  return { words, unmapped, characters };
}

const isSpace = (code: number) =>
  (code >= 0x2000 && code <= 0x200b) ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000 ||
  code === 0xfeff;
const isUnmapped = (code: number) =>
  code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff) || (code >= 0x80 && code < 0xa0);

class OpenWord {
  #text = '';
  readonly #box: Box;
  #last: Box;
  readonly #style: Style;
  readonly #baseline: number;
  readonly #quarter: Quarter | undefined;

  constructor(box: Box, style: Style, baseline: number, quarter: Quarter | undefined) {
    this.#box = { ...box };
    this.#last = box;
    this.#style = style;
    this.#baseline = baseline;
    this.#quarter = quarter;
  }

  /** Letters of a word follow each other closely on one line. */
  continuesAt(box: Box): boolean {
    const { size } = this.#style;
    const upright = this.#quarter === 0 || this.#quarter === 2 || this.#quarter === undefined;
    const last = this.#last;
    const gap = upright
      ? Math.max(box.left - last.right, last.left - box.right)
      : Math.max(box.top - last.bottom, last.top - box.bottom);
    if (gap > wordGap * size) return false;
    if (this.#quarter === undefined) return true;
    const aside = upright ? Math.abs(box.bottom - last.bottom) : Math.abs(box.left - last.left);
    if (aside > size * 0.7) return false;
    // A letter that starts again well to the left belongs to another line or is drawn over this one.
    return this.#quarter !== 0 || box.left > last.left - size * 0.5;
  }

  add(text: string, box: Box): void {
    this.#text += text;
    this.#last = box;
    const all = this.#box;
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }

  finish(): PlacedWord {
    const { size, ...look } = this.#style;
    return {
      text: this.#text.normalize('NFC'),
      box: this.#box,
      baseline: this.#baseline,
      style: { size, ...look },
      quarter: this.#quarter,
    };
  }
}

class Glyphs {
  readonly count: number;
  readonly #pdfium: Pdfium;
  readonly #text: number;
  readonly #frame: PageFrame;
  readonly #scratch: number;
  readonly #looks = new Map<number, FontLook>();

  constructor(pdfium: Pdfium, text: number, frame: PageFrame, scratch: number) {
    this.#pdfium = pdfium;
    this.#text = text;
    this.#frame = frame;
    this.#scratch = scratch;
    this.count = pdfium.FPDFText_CountChars(text);
  }

  codeAt(index: number): number {
    return this.#pdfium.FPDFText_GetUnicode(this.#text, index);
  }

  boxAt(index: number): Box {
    this.#pdfium.FPDFText_GetLooseCharBox(this.#text, index, this.#scratch);
    const at = this.#scratch / 4;
    const edges = this.#pdfium.memory.HEAPF32;
    return this.#frame.box(
      edges[at] as number,
      edges[at + 3] as number,
      edges[at + 2] as number,
      edges[at + 1] as number,
    );
  }

  openWordAt(index: number, box: Box): OpenWord {
    const { size, look } = this.#styleAt(index);
    const { x, y } = this.#frame.direction(this.#pdfium.FPDFText_GetCharAngle(this.#text, index));
    return new OpenWord(box, { size, ...look }, this.#baselineAt(index, box), quarterOf(x, y));
  }

  #styleAt(index: number): { size: number; look: FontLook } {
    const object = this.#pdfium.FPDFText_GetTextObject(this.#text, index);
    const font = object === 0 ? 0 : this.#pdfium.FPDFTextObj_GetFont(object);
    let look = this.#looks.get(font);
    if (!look) {
      look = fontLook(this.#pdfium, font, this.#scratch);
      this.#looks.set(font, look);
    }
    const nominal = this.#pdfium.FPDFText_GetFontSize(this.#text, index);
    this.#pdfium.FPDFText_GetMatrix(this.#text, index, this.#scratch);
    const at = this.#scratch / 4;
    const [, , c = 0, d = 1] = this.#pdfium.memory.HEAPF32.subarray(at, at + 4);
    const size = Math.round(nominal * Math.hypot(c, d) * 10) / 10;
    return { size: size > 0 ? size : 10, look };
  }

  #baselineAt(index: number, box: Box): number {
    const found = this.#pdfium.FPDFText_GetCharOrigin(this.#text, index, this.#scratch, this.#scratch + 8);
    if (!found) return box.bottom;
    const at = this.#scratch / 8;
    const { HEAPF64 } = this.#pdfium.memory;
    return this.#frame.point(HEAPF64[at] as number, HEAPF64[at + 1] as number).y;
  }
}

function quarterOf(x: number, y: number): Quarter | undefined {
  if (x > 0.98) return 0;
  if (y > 0.98) return 1;
  if (x < -0.98) return 2;
  return y < -0.98 ? 3 : undefined;
}
