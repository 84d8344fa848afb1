import type { Faces, Look } from '../type/faces.ts';
import { asciiString, number } from './pdf-file.ts';
import type { UsedFace } from './used-face.ts';

/** Red, green and blue, from 0 to 1. */
export type Colour = readonly [number, number, number];

export interface TextStyle extends Look {
  size: number;
  colour: Colour;
  link?: string;
  underline?: boolean;
  strike?: boolean;
  /** Points above the line, for indices. */
  raise?: number;
}

export interface PageSize {
  width: number;
  height: number;
}

/** What a page may name: fonts and pictures of the document. */
export interface PageResources {
  faces: Faces;
  used(face: Faces['all'][number]): { key: string; face: UsedFace };
}

export interface LinkArea {
  url: string;
  box: [number, number, number, number];
}

/** Draws on one page. Positions are points from the top left corner. */
export class PageCanvas {
  readonly links: LinkArea[] = [];
  readonly pictures = new Map<string, string>();
  readonly #resources: PageResources;
  readonly #height: number;
  readonly #operations: string[] = [];

  constructor(resources: PageResources, { height }: PageSize) {
    this.#resources = resources;
    this.#height = height;
  }

  get content(): string {
    return this.#operations.join('\n');
  }

  /** `text` stands on the line `baseline`; `width` is what it takes. */
  text(text: string, style: TextStyle, at: { left: number; baseline: number; width: number }): void {
    const { size, colour, raise = 0, link } = style;
    const { left, baseline, width } = at;
    let from = left;
    for (const part of this.#parts(text, style)) {
      const { key, face } = this.#resources.used(part.face);
      const place = `1 0 0 1 ${number(from)} ${number(this.#height - baseline + raise)} Tm`;
      this.#operations.push(
        `BT ${paint(colour)} rg /${key} ${number(size)} Tf ${place} ${face.encode(part.text)} Tj ET`,
      );
      from += (part.width * size) / 1000;
    }
    if (style.underline || link) this.#rule(left, baseline + 0.12 * size, width, style);
    if (style.strike) this.#rule(left, baseline - 0.27 * size, width, style);
    if (link) this.link(link, { left, top: baseline - size, width, height: 1.25 * size });
  }

  /** Runs of characters that one font shows. */
  #parts(text: string, look: Look): { text: string; face: Faces['all'][number]; width: number }[] {
    const { faces } = this.#resources;
    const parts: { text: string; face: Faces['all'][number]; width: number }[] = [];
    for (const letter of text) {
      const character = letter.codePointAt(0) ?? 0;
      const face = faces.showing(character, look);
      const width = face.widthOf(character) ?? face.missingWidth;
      const last = parts.at(-1);
      if (last?.face === face) {
        last.text += letter;
        last.width += width;
      } else parts.push({ text: letter, face, width });
    }
    return parts;
  }

  #rule(left: number, top: number, width: number, { size, colour }: TextStyle): void {
    this.line([left, top], [left + width, top], { colour, width: size / 18 });
  }

  link(url: string, { left, top, width, height }: Record<'left' | 'top' | 'width' | 'height', number>): void {
    this.links.push({ url, box: [left, this.#height - top - height, left + width, this.#height - top] });
  }

  fill(left: number, top: number, width: number, height: number, colour: Colour): void {
    const box = [left, this.#height - top - height, width, height].map(number).join(' ');
    this.#operations.push(`${paint(colour)} rg ${box} re f`);
  }

  line(
    from: [number, number],
    to: [number, number],
    { colour, width }: { colour: Colour; width: number },
  ): void {
    const [start, end] = [from, to].map(([x, y]) => `${number(x)} ${number(this.#height - y)}`);
    this.#operations.push(`${paint(colour)} RG ${number(width)} w ${start} m ${end} l S`);
  }

  picture(reference: string, left: number, top: number, width: number, height: number): void {
    const key = this.pictures.get(reference) ?? `P${this.pictures.size + 1}`;
    this.pictures.set(reference, key);
    const place = [width, 0, 0, height, left, this.#height - top - height].map(number).join(' ');
    this.#operations.push(`q ${place} cm /${key} Do Q`);
  }
}

const paint = (colour: Colour) => colour.map(number).join(' ');

export const linkAnnotation = ({ url, box }: LinkArea): string =>
  `<< /Type /Annot /Subtype /Link /Rect [${box.map(number).join(' ')}] /Border [0 0 0] ` +
  `/A << /S /URI /URI ${asciiString(url)} >> >>`;
