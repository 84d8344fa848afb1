import { expect, it } from 'vitest';
import type { DocumentElement } from '../../documents/element.ts';
import { drawPage, pageDrawings } from './draw-page.ts';

const region = (page: number, top: number) => ({
  page,
  box: { left: 50, top, right: 300.1234, bottom: top + 20 },
  pageWidth: 595,
  pageHeight: 842,
});
const elements: DocumentElement[] = [
  { kind: 'Title', text: 'A < B & \u001bC', index: 0, page: 1, regions: [region(1, 50)] },
  {
    kind: 'NarrativeText',
    text: 'over two pages',
    index: 1,
    page: 1,
    regions: [region(1, 780), region(2, 40)],
  },
  { kind: 'PageNumber', text: '', index: 2, page: 2, regions: [] },
];

it('draws the boxes of each page over its picture, numbered in reading order', () => {
  const [first, second, ...others] = pageDrawings(elements);
  expect([first?.page, second?.page, others]).toEqual([1, 2, []]);
  const svg = drawPage(first as NonNullable<typeof first>, Buffer.from('png'));
  expect(svg).toContain('href="data:image/png;base64,cG5n"');
  expect(svg).toContain('<title>1 Title\nA &lt; B &amp; C</title>');
  expect(svg).toContain('<rect x="50" y="780" width="250.12" height="20"');
  expect(svg).toContain('>2 NarrativeText</text>');
  expect(drawPage(second as NonNullable<typeof second>)).toContain(
    '<rect width="595" height="842" fill="#fff"/>',
  );
});
