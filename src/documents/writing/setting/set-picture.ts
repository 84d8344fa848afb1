import type { Block } from '../content/block.ts';
import type { PdfDocument } from '../file/pdf-document.ts';
import { frame } from './looks.ts';
import type { Piece } from './piece.ts';
import type { Frame } from './set-blocks.ts';

/** Pictures are stated in pixels of screens. */
const pointsPerPixel = 0.75;

export function setPicture(
  { picture, width: stated, height: tall }: Extract<Block, { kind: 'picture' }>,
  { width, size, tables }: Frame,
  { document }: { document: PdfDocument },
): Piece {
  const ratio = picture.height / picture.width;
  const wanted = stated ?? (tall ? tall / ratio : picture.width);
  const most = tables > 0 ? 0.5 * frame.height : 0.85 * frame.height;
  const shown = Math.max(1, Math.min(width, wanted * pointsPerPixel, most / ratio));
  return {
    gap: 0.7 * size,
    height: Math.min(most, shown * ratio),
    keep: false,
    draw: (canvas, left, top) =>
      canvas.picture(document.pictureOf(picture), left, top, shown, Math.min(most, shown * ratio)),
  };
}
