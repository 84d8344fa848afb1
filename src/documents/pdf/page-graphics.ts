import type { Box } from '../element.ts';
import type { Pdfium } from './open-pdfium.ts';
import type { PageFrame } from './page-frame.ts';

/** What is drawn on a page besides text. */
export interface PageGraphics {
  /** Straight horizontal and vertical lines, as thin boxes. */
  rules: Box[];
  /** Small filled shapes that may be list bullets. */
  dots: Dot[];
  pictures: Box[];
  /** Larger drawn shapes, the parts of charts and diagrams. */
  shapes: Box[];
}

export interface Dot {
  box: Box;
  hollow: boolean;
  square: boolean;
}

const objectLimit = 60_000;
const segmentLimit = 20_000;
const formDepth = 4;
/** Thicker lines are bars or backgrounds. */
const ruleThickness = 3;
const kinds = { path: 2, image: 3, shading: 4, form: 5 } as const;

type Matrix = [number, number, number, number, number, number];
const identity: Matrix = [1, 0, 0, 1, 0, 0];

export function readGraphics(pdfium: Pdfium, page: number, frame: PageFrame, scratch: number): PageGraphics {
  const reader = new GraphicsReader(pdfium, frame, scratch);
  const count = pdfium.FPDFPage_CountObjects(page);
  for (let index = 0; index < count; index += 1)
    reader.read(pdfium.FPDFPage_GetObject(page, index), identity, 0);
  return reader.graphics;
}

class GraphicsReader {
  readonly graphics: PageGraphics = { rules: [], dots: [], pictures: [], shapes: [] };
  readonly #pdfium: Pdfium;
  readonly #frame: PageFrame;
  readonly #scratch: number;
  #objects = 0;
  #segments = 0;

  constructor(pdfium: Pdfium, frame: PageFrame, scratch: number) {
    this.#pdfium = pdfium;
    this.#frame = frame;
    this.#scratch = scratch;
  }

  read(object: number, matrix: Matrix, depth: number): void {
    this.#objects += 1;
    if (this.#objects > objectLimit) return;
    const type = this.#pdfium.FPDFPageObj_GetType(object);
    if (type === kinds.path) this.#readPath(object, matrix);
    else if (type === kinds.image) this.#add('pictures', this.#bounds(object, matrix));
    else if (type === kinds.form && depth < formDepth) this.#readForm(object, matrix, depth);
  }

  #readForm(form: number, matrix: Matrix, depth: number): void {
    const inner = multiply(this.#matrixOf(form), matrix);
    const count = this.#pdfium.FPDFFormObj_CountObjects(form);
    for (let index = 0; index < count; index += 1)
      this.read(this.#pdfium.FPDFFormObj_GetObject(form, index), inner, depth + 1);
  }

  #readPath(path: number, matrix: Matrix): void {
    const { stroked, filled } = this.#drawMode(path);
    if (!stroked && !filled) return;
    const box = this.#bounds(path, matrix);
    if (!box) return;
    const [across, down] = [box.right - box.left, box.bottom - box.top];
    if (across > this.#frame.width * 1.5 || down > this.#frame.height * 1.5) return;
    if (this.#isWhite(path, stroked)) return;
    if (Math.min(across, down) <= ruleThickness && Math.max(across, down) > 6) {
      this.graphics.rules.push(box);
      return;
    }
    const count = this.#pdfium.FPDFPath_CountSegments(path);
    if (across < 9 && down < 9) {
      if (across > 1 && Math.abs(across - down) < 1.2)
        this.graphics.dots.push({ box, hollow: !filled, square: count <= 5 });
      return;
    }
    this.#segments += count;
    if (this.#segments > segmentLimit) return;
    const found = this.#straightLines(path, count, matrix, stroked);
    this.graphics.rules.push(...found.rules);
    if (found.rules.length === 0 && !found.background) this.graphics.shapes.push(box);
  }

  /** Stroked outlines give lines; a filled rectangle is a background, and its edges may border table cells. */
  #straightLines(path: number, count: number, matrix: Matrix, stroked: boolean) {
    const toPage = multiply(this.#matrixOf(path), matrix);
    const rules: Box[] = [];
    let first: { x: number; y: number } | undefined;
    let last: { x: number; y: number } | undefined;
    let straight = 0;
    for (let index = 0; index < count; index += 1) {
      const segment = this.#pdfium.FPDFPath_GetPathSegment(path, index);
      const type = this.#pdfium.FPDFPathSegment_GetType(segment);
      const point = this.#pointOf(segment, toPage);
      if (type === 2) first = point;
      if (type === 0 && last) straight += addLine(rules, last, point);
      if (this.#pdfium.FPDFPathSegment_GetClose(segment) && first) addLine(rules, point, first);
      last = point;
    }
    return stroked ? { rules, background: false } : { rules: [], background: straight >= 3 };
  }

  #pointOf(segment: number, [a, b, c, d, e, f]: Matrix): { x: number; y: number } {
    this.#pdfium.FPDFPathSegment_GetPoint(segment, this.#scratch, this.#scratch + 4);
    const at = this.#scratch / 4;
    const x = this.#pdfium.memory.HEAPF32[at] as number;
    const y = this.#pdfium.memory.HEAPF32[at + 1] as number;
    return this.#frame.point(a * x + c * y + e, b * x + d * y + f);
  }

  #drawMode(path: number): { stroked: boolean; filled: boolean } {
    this.#pdfium.FPDFPath_GetDrawMode(path, this.#scratch, this.#scratch + 4);
    const at = this.#scratch / 4;
    const { HEAP32 } = this.#pdfium.memory;
    return { filled: HEAP32[at] !== 0, stroked: HEAP32[at + 1] !== 0 };
  }

  #isWhite(path: number, stroked: boolean): boolean {
    const at = this.#scratch;
    const known = stroked
      ? this.#pdfium.FPDFPageObj_GetStrokeColor(path, at, at + 4, at + 8, at + 12)
      : this.#pdfium.FPDFPageObj_GetFillColor(path, at, at + 4, at + 8, at + 12);
    if (!known) return false;
    const [red = 0, green = 0, blue = 0, alpha = 255] = this.#pdfium.memory.HEAP32.subarray(
      at / 4,
      at / 4 + 4,
    );
    return alpha === 0 || Math.min(red, green, blue) > 250;
  }

  #matrixOf(object: number): Matrix {
    if (!this.#pdfium.FPDFPageObj_GetMatrix(object, this.#scratch)) return identity;
    const at = this.#scratch / 4;
    return [...this.#pdfium.memory.HEAPF32.subarray(at, at + 6)] as Matrix;
  }

  #bounds(object: number, [a, b, c, d, e, f]: Matrix): Box | undefined {
    const at = this.#scratch;
    if (!this.#pdfium.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) return undefined;
    const [left = 0, bottom = 0, right = 0, top = 0] = this.#pdfium.memory.HEAPF32.subarray(
      at / 4,
      at / 4 + 4,
    );
    const fromX = a * left + c * bottom + e;
    const fromY = b * left + d * bottom + f;
    const toX = a * right + c * top + e;
    const toY = b * right + d * top + f;
    return this.#frame.box(fromX, fromY, toX, toY);
  }

  #add(list: 'pictures', box: Box | undefined): void {
    if (box && box.right - box.left > 4 && box.bottom - box.top > 4) this.graphics[list].push(box);
  }
}

function addLine(rules: Box[], from: { x: number; y: number }, to: { x: number; y: number }): number {
  const [across, down] = [Math.abs(from.x - to.x), Math.abs(from.y - to.y)];
  if (Math.min(across, down) > 1) return 0;
  if (Math.max(across, down) > 6)
    rules.push({
      left: Math.min(from.x, to.x),
      top: Math.min(from.y, to.y),
      right: Math.max(from.x, to.x),
      bottom: Math.max(from.y, to.y),
    });
  return 1;
}

function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}
