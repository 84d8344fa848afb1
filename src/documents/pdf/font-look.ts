import type { Style } from '../layout/page-content.ts';
import type { Pdfium } from './open-pdfium.ts';

export type FontLook = Omit<Style, 'size'>;

/** Bits of a font descriptor's flags. */
const fixedPitch = 1;
const italic = 1 << 6;
const forceBold = 1 << 18;

export function fontLook(pdfium: Pdfium, font: number, scratch: number): FontLook {
  if (font === 0) return lookOf('', 0);
  const length = pdfium.FPDFFont_GetBaseFontName(font, scratch, 200);
  const name = length > 1 && length <= 200 ? pdfium.memory.text8(scratch, length - 1) : '';
  return lookOf(name, Math.max(0, pdfium.FPDFFont_GetFlags(font)));
}

/** Names say more than flags, which many writers leave at a default. */
export function lookOf(fullName: string, flags: number): FontLook {
  const font = fullName.replace(/^[A-Z]{6}\+/, '');
  return {
    font,
    bold: /bold|black|heavy|demi|semibd|[-,]bd|medi?um?[-]?cond/i.test(font) || (flags & forceBold) !== 0,
    italic: /ital|obli|slant|[-,]it\b/i.test(font) || (flags & italic) !== 0,
    mono: /mono|cour|consol|menlo|code|typewriter|cmtt|lmtt/i.test(font) || (flags & fixedPitch) !== 0,
  };
}
