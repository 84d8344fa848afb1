import type { Box } from '../element.ts';
import type { Pdfium } from './open-pdfium.ts';

/** Translates from a PDF's own coordinates (y upwards, before rotation) to points from the top left corner. */
export interface PageFrame {
  width: number;
  height: number;
  point(x: number, y: number): { x: number; y: number };
  box(left: number, bottom: number, right: number, top: number): Box;
  /** Direction of text that runs at an angle (clockwise, in radians) on the page as it is seen. */
  direction(angle: number): { x: number; y: number };
}

export function frameOf(pdfium: Pdfium, page: number, scratch: number): PageFrame {
  const width = pdfium.FPDF_GetPageWidthF(page);
  const height = pdfium.FPDF_GetPageHeightF(page);
  const rotation = pdfium.FPDFPage_GetRotation(page);
  const known = pdfium.FPDF_GetPageBoundingBox(page, scratch);
  const edges = pdfium.memory.HEAPF32.subarray(scratch / 4, scratch / 4 + 4);
  const [left = 0, top = height, right = width, bottom = 0] = known ? edges : [0, height, width, 0];
  const point = (x: number, y: number) => {
    if (rotation === 1) return { x: y - bottom, y: x - left };
    if (rotation === 2) return { x: right - x, y: y - bottom };
    if (rotation === 3) return { x: top - y, y: right - x };
    return { x: x - left, y: top - y };
  };
  return {
    width,
    height,
    point,
    box(fromX, fromY, toX, toY) {
      const a = point(fromX, fromY);
      const b = point(toX, toY);
      return {
        left: Math.min(a.x, b.x),
        top: Math.min(a.y, b.y),
        right: Math.max(a.x, b.x),
        bottom: Math.max(a.y, b.y),
      };
    },
    direction(angle) {
      const from = point(0, 0);
      const to = point(Math.cos(angle), -Math.sin(angle));
      return { x: to.x - from.x, y: to.y - from.y };
    },
  };
}
