import { afterAll, describe, expect, it } from 'vitest';
import { openTestDocuments } from '../../../test/testkit/documents/open-test-documents.ts';
import { tinyPdf } from '../../../test/testkit/sources/tiny-pdf.ts';

const documents = openTestDocuments();
afterAll(() => documents.close());

const { signal } = new AbortController();
const path = ['Эксплуатация', 'Станция № 4'];
const withPath = (pdf: Buffer, steps = path) => documents.writer.withPath(pdf, steps, signal);
/** A page may be placed, cut and turned in many ways. */
const changed = (from: string, to: string) =>
  Buffer.from(tinyPdf(['Pump NC-40.', 'Start it.']).toString('latin1').replace(from, to), 'latin1');

const read = async (pdf: Buffer) => (await documents.readPdf(pdf)).elements;

describe('a path', () => {
  const box = '/MediaBox [0 0 595 842]';
  it.each([
    ['a page', box],
    ['a page that is cut', '/MediaBox [-20 -20 700 900] /CropBox [30 40 560 800]'],
    ['a page whose size is stated for all', '/Group 7'],
    ['a narrow page', '/MediaBox [0 0 150 842]'],
  ])('is written above %s, and covers nothing', async (_, boxes) => {
    const all = boxes.includes('Box') ? '' : box;
    const pdf = Buffer.from(
      changed(box, boxes).toString('latin1').replace('/Kids [3 0 R]', `/Kids [3 0 R] ${all}`),
      'latin1',
    );
    const stamped = await withPath(pdf);
    const before = await read(pdf);
    const [line, ...rest] = await read(stamped);
    expect(line?.text).toBe(path.join(' › '));
    expect(rest.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    // All that was there has moved down by the height of the strip, which the path stays in.
    const boxOf = (element: (typeof before)[number] | undefined) => element?.regions?.[0]?.box;
    const strip = (boxOf(rest[0])?.top ?? 0) - (boxOf(before[0])?.top ?? 0);
    expect(strip).toBeGreaterThan(20);
    expect(boxOf(line)?.bottom).toBeLessThan(strip);
    expect(boxOf(rest[0])?.left).toBeCloseTo(boxOf(before[0])?.left ?? 0, 3);
    expect((await withPath(pdf)).equals(stamped)).toBe(true);
  });

  it('stands upright above content that turns and shrinks all that follows it', async () => {
    const pdf = changed('BT /F1', '.5 0 0 -.5 50 800 cm BT /F1');
    const drawn = await read(
      await withPath(Buffer.from(pdf.toString('latin1').replace(/Length \d+/, 'Length 200'))),
    );
    const line = drawn.find(({ text }) => text === path.join(' › '));
    expect(line?.regions[0]?.box.bottom).toBeLessThan(40);
    expect(line?.regions[0]?.box.left).toBeCloseTo(36, 0);
  });

  it('goes over several lines where it is long, and keeps signs that no font has', async () => {
    const long = ['漢字 <&> (x\\', ...Array.from({ length: 12 }, (_, at) => `Section number ${at}`)];
    const [line] = await read(await withPath(changed('', ''), long));
    expect(line?.text).toBe(long.join(' › '));
  });

  it.each([
    ['a file that is no PDF', Buffer.from('%PDF-1.4 but nothing else')],
    ['an empty file', Buffer.alloc(0)],
    ['a page that is turned', changed('/Contents', '/Rotate 90 /Contents')],
    ['a protected file', changed('/Root 1 0 R', '/Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 >>')],
    ['a file without pages', changed('/Kids [3 0 R] /Count 1', '/Kids [] /Count 0')],
  ])('is not written onto %s, and the next file gets one', async (_, pdf) => {
    await expect(withPath(pdf)).rejects.toMatchObject({ name: 'Unreadable' });
    expect((await withPath(changed('', ''))).length).toBeGreaterThan(1_000);
  });

  it('is not written where it can not be read from left to right, or is endless', async () => {
    for (const steps of [['שלום'], ['word '.repeat(50_000)]])
      await expect(withPath(changed('', ''), steps)).rejects.toMatchObject({ name: 'Unreadable' });
  });
});
