import type { Box, DocumentElement, ElementKind } from '../../documents/element.ts';
import { printable } from './inline-text.ts';

interface DrawnBox {
  element: DocumentElement;
  box: Box;
}

export interface PageDrawing {
  page: number;
  /** In points. */
  width: number;
  height: number;
  /** Degrees by which the page was turned to be read. */
  turned?: number | undefined;
  boxes: DrawnBox[];
}

const colours = new Map<ElementKind, string>([
  ['Title', '#d62728'],
  ['NarrativeText', '#1f77b4'],
  ['ListItem', '#2ca02c'],
  ['Table', '#9467bd'],
  ['Image', '#e377c2'],
  ['FigureCaption', '#8c564b'],
  ['Formula', '#bcbd22'],
  ['CodeSnippet', '#17becf'],
]);
const otherColour = '#7f7f7f';

/** The pages that the elements stand on, each with the boxes on it in reading order. */
export function pageDrawings(elements: readonly DocumentElement[]): PageDrawing[] {
  const pages = new Map<number, PageDrawing>();
  for (const element of elements) {
    for (const { page, box, pageWidth, pageHeight, turned } of element.regions) {
      const drawing = pages.get(page) ?? { page, width: pageWidth, height: pageHeight, turned, boxes: [] };
      drawing.boxes.push({ element, box });
      pages.set(page, drawing);
    }
  }
  return [...pages.values()].sort((a, b) => a.page - b.page);
}

/** An SVG file with the page's picture, if there is one, and a labelled box per element over it. */
export function drawPage({ width, height, boxes }: PageDrawing, picture?: Uint8Array): string {
  const background = picture
    ? `<image width="${width}" height="${height}" preserveAspectRatio="none" href="data:image/png;base64,${Buffer.from(picture).toString('base64')}"/>`
    : `<rect width="${width}" height="${height}" fill="#fff"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width * 1.5}" height="${height * 1.5}" font-family="sans-serif" font-size="6">
${[background, ...boxes.map((drawn, at) => drawBox(drawn, at + 1))].join('\n')}
</svg>
`;
}

function drawBox({ element, box }: DrawnBox, place: number): string {
  const { left, top, right, bottom } = box;
  const colour = colours.get(element.kind) ?? otherColour;
  const [x, y] = [round(left), round(top)];
  const label = `${place} ${element.kind}`;
  return `<g><title>${escaped(`${label}\n${element.text}`)}</title>\
<rect x="${x}" y="${y}" width="${round(Math.max(0, right - left))}" height="${round(Math.max(0, bottom - top))}" fill="${colour}" fill-opacity="0.1" stroke="${colour}" stroke-width="0.75"/>\
<text x="${x}" y="${round(top - 1)}" fill="${colour}">${label}</text></g>`;
}

const round = (points: number) => Math.round(points * 100) / 100;

const escaped = (text: string) =>
  printable(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
