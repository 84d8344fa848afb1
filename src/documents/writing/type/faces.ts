import { readFileSync } from 'node:fs';
import { readTrueType, type TrueTypeFont } from './true-type.ts';

export interface Look {
  bold?: boolean;
  italic?: boolean;
  mono?: boolean;
}

/** A font of the renderer. */
export interface Face {
  /** As in the PDF file; readers tell bold, italic and mono fonts by it. */
  name: string;
  look: Look;
  font: TrueTypeFont;
  /** In thousandths of the size; undefined where the font lacks the character. */
  widthOf(character: number): number | undefined;
  /** Width of the sign that stands for a character that no font has. */
  missingWidth: number;
}

/** The sign that stands for a character that no font has. */
export const replacement = 0xfffd;

export interface Faces {
  all: readonly Face[];
  of(look: Look): Face;
  /** The face that shows a character in this look, or the one of plain text where none has it. */
  showing(character: number, look: Look): Face;
}

/** Latin, Cyrillic, Greek and many signs, in one look for all. */
const files: [name: string, look: Look][] = [
  ['DejaVuSansCondensed', {}],
  ['DejaVuSansCondensed-Bold', { bold: true }],
  ['DejaVuSansCondensed-Oblique', { italic: true }],
  ['DejaVuSansCondensed-BoldOblique', { bold: true, italic: true }],
  ['DejaVuSansMono', { mono: true }],
];

const keyOf = ({ bold, italic, mono }: Look) => (mono ? 4 : (bold ? 1 : 0) + (italic ? 2 : 0));

/** Reads the font files, which takes about 20 ms. */
export function openFaces(): Faces {
  const folder = new URL('ttf/', import.meta.resolve('dejavu-fonts-ttf/package.json'));
  const all = files.map(([name, look]) => {
    const file = readFileSync(new URL(`${name}.ttf`, folder));
    return createFace(name, look, readTrueType(file));
  });
  const of = (look: Look) => all[keyOf(look)] as Face;
  const plain = of({});
  return {
    all,
    of,
    showing(character, look) {
      const wanted = of(look);
      if (wanted.widthOf(character) !== undefined) return wanted;
      return plain.widthOf(character) === undefined && look.mono ? wanted : plain;
    },
  };
}

function createFace(name: string, look: Look, font: TrueTypeFont): Face {
  const widths = new Map<number, number | undefined>();
  return {
    name,
    look,
    font,
    missingWidth: (1000 * font.advanceOf(font.glyphOf(replacement))) / font.unitsPerEm,
    widthOf(character) {
      if (widths.has(character)) return widths.get(character);
      const glyph = font.glyphOf(character);
      const width = glyph === 0 ? undefined : (1000 * font.advanceOf(glyph)) / font.unitsPerEm;
      // What pages ask for is bounded by what they show, but a process renders many.
      if (widths.size > 20_000) widths.clear();
      widths.set(character, width);
      return width;
    },
  };
}
