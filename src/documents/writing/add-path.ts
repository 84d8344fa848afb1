import type { Pdfium } from '../pdf/open-pdfium.ts';
import { Unreadable } from '../unreadable.ts';
import { ChangedPdf } from './file/changed-pdf.ts';
import { PdfDocument } from './file/pdf-document.ts';
import { startBudget } from './limits.ts';
import { createMeasure } from './setting/measure.ts';
import { setPath } from './setting/set-text.ts';
import type { Faces } from './type/faces.ts';

/** Points around the path. */
const space = { side: 36, above: 14, below: 4 };
const mostHeight = 200;

/**
 * Writes the path to a page above the first page of a PDF file that another program made. That page becomes higher, so
 * nothing is covered.
 */
export function addPath(
  { pdfium, faces }: { pdfium: Pdfium; faces: Faces },
  file: Uint8Array,
  path: readonly string[],
): Buffer {
  const changed = new ChangedPdf(pdfium, file);
  try {
    changed.addAbove(({ left, right }) => drawPath(path, right - left, faces));
    return changed.write();
  } finally {
    changed.close();
  }
}

function drawPath(path: readonly string[], width: number, faces: Faces): { height: number; file: Buffer } {
  const inside = Math.max(width - 2 * space.side, width / 2);
  const lines = setPath(path, inside, { measure: createMeasure(faces), budget: startBudget() });
  const height = space.above + lines.reduce((sum, line) => sum + line.gap + line.height, 0) + space.below;
  if (height > mostHeight) throw new Unreadable('too large', 'The path is too long to be written.');
  const strip = new PdfDocument(faces, { width, height });
  const canvas = strip.addPage();
  let top = space.above;
  for (const line of lines) {
    line.draw(canvas, (width - inside) / 2, top + line.gap);
    top += line.gap + line.height;
  }
  return { height, file: strip.finish('') };
}
