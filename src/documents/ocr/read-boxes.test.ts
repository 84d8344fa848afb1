import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openTestDocuments } from '../../../test/testkit/documents/open-test-documents.ts';
import { requirement } from '../../../test/testkit/requirement.ts';
import { PageReader } from '../pages/page-reader.ts';
import { image } from '../pictures/sharp.ts';
import { readBoxes } from './read-boxes.ts';
import { Tesseract } from './tesseract.ts';

const tesseract = await requirement('tesseract', () =>
  execFileSync('tesseract', ['--list-langs']).includes('rus'),
);
const documents = openTestDocuments();
const { folder } = documents;
const pages = new PageReader();
afterAll(async () => {
  await Promise.all([documents.close(), pages.close()]);
});

/** A picture of lines, with their boxes. */
async function draw(lines: string[]) {
  const path = join(folder, 'page.pdf');
  const html = lines.map((line) => `<h3>${line}</h3>`).join('');
  const page = { title: '', path: [], html, base: 'http://wiki.example' };
  writeFileSync(path, await documents.writer.pdf(page, [], new AbortController().signal));
  const picture = await pages.drawPage(path, 'pdf', { number: 1 });
  const { data, info } = await image(picture ?? new Uint8Array())
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const boxes = [];
  for await (const { text, regions } of documents.read({ path, name: 'page.pdf' }, { strategy: 'fast' })) {
    const [region] = regions;
    if (!region || !lines.includes(text)) continue;
    const scale = info.width / region.pageWidth;
    const { left, right, top, bottom } = region.box;
    const edge = 4;
    boxes.push({
      left: left * scale - edge,
      right: right * scale + edge,
      top: top * scale - edge,
      bottom: bottom * scale + edge,
    });
  }
  return { grey: { width: info.width, height: info.height, channels: 1 as const, pixels: data }, boxes };
}

describe.skipIf(!tesseract.available)('readBoxes', () => {
  it('reads all lines with words of another script again in one call', async () => {
    const log = join(folder, 'calls');
    const command = join(folder, 'tesseract');
    writeFileSync(command, `#!/bin/sh\necho "$*" >>'${log}'\nexec tesseract "$@"\n`, { mode: 0o755 });
    const lines = Array.from(
      { length: 12 },
      (_, at) => `Станция номер ${at + 10} открывает движение railway утром и вечером каждый день.`,
    );
    const { grey, boxes } = await draw(lines);
    expect(boxes).toHaveLength(lines.length);
    const read = await readBoxes(
      { tesseract: new Tesseract(command), grey, languages: ['rus', 'eng'] },
      boxes,
    );
    const kept = read.filter((line) => line.some(({ text }) => text === 'railway'));
    expect(kept.length).toBeGreaterThan(9);
    const calls = readFileSync(log, 'utf8').trim().split('\n');
    expect(calls.filter((call) => call.includes('-l rus '))).toHaveLength(1);
  });
});
