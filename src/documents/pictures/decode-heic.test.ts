import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../../test/testkit/machine/is-alive.ts';
import { requirement } from '../../../test/testkit/requirement.ts';
import { until } from '../../../test/testkit/until.ts';
import { type Documents, openDocuments } from '../read-document.ts';
import { documentSettings } from '../settings.ts';
import { decodeHeic } from './decode-heic.ts';
import { image } from './sharp.ts';

const encoder = await requirement('heif-enc', () => execFileSync('heif-enc', ['--list-encoders']).length > 0);

const folder = mkdtempSync(join(tmpdir(), 'heic-test-'));
const scratch = join(folder, 'scratch');
let documents: Documents;
beforeAll(() => {
  mkdirSync(scratch);
  vi.stubEnv('TMPDIR', scratch);
  documents = openDocuments(documentSettings.documents.parse({ workers: 1 }));
});
afterEach(() => expect(readdirSync(scratch)).toEqual([]));
afterAll(async () => {
  await documents.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Wide, and dark on its left. */
const wide = () =>
  image({ create: { width: 300, height: 100, channels: 3, background: '#fff' } }).composite([
    { input: { create: { width: 100, height: 100, channels: 3, background: '#000' } }, left: 0, top: 0 },
  ]);

/** The size of the drawn page, and how light its left and right ends are. */
async function drawn(path: string, type: string) {
  const png = await documents.drawPage({ path, type }, { number: 1 }, AbortSignal.timeout(60_000));
  const { data, info } = await image(png).greyscale().raw().toBuffer({ resolveWithObject: true });
  const light = (x: number) => (data[(50 * info.width + x) * info.channels] as number) > 128;
  return [info.width, info.height, light(20), light(280)];
}

async function read(path: string, name = 'photo', signal?: AbortSignal): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of documents.read({ path, name }, {}, signal)) texts.push(text);
  return texts;
}

it('AVIF is decoded without a program, also under a general brand', async () => {
  const path = join(folder, 'a.avif');
  await wide().avif().toFile(path);
  expect(await drawn(path, 'image/avif')).toEqual([300, 100, false, true]);
  const general = join(folder, 'general');
  const bytes = readFileSync(path);
  bytes.write('mif1', 8);
  bytes.write('miaf', bytes.indexOf('avif'));
  writeFileSync(general, bytes);
  expect(await drawn(general, 'image/heic')).toEqual([300, 100, false, true]);
});

it('30,000 × 30,000 pixels are refused before they are decoded', async () => {
  const bytes = await wide().avif().toBuffer();
  bytes.write('heic', 8);
  const size = bytes.indexOf('ispe');
  bytes.writeUInt32BE(30_000, size + 8);
  bytes.writeUInt32BE(30_000, size + 12);
  const path = join(folder, 'large.heic');
  writeFileSync(path, bytes);
  await expect(read(path)).rejects.toMatchObject({
    reason: 'too large',
    message: 'The image has 30000 × 30000 pixels; at most 100 million are read.',
  });
});

describe.skipIf(!encoder.available)('HEIC', () => {
  const encode = (source: string, target: string) => {
    const path = join(folder, target);
    execFileSync('heif-enc', ['-q', '80', join(folder, source), '-o', path]);
    return path;
  };

  it('is decoded by a program of the system, and not turned twice', async () => {
    await wide().png().toFile(join(folder, 'wide.png'));
    const path = encode('wide.png', 'wide.heic');
    expect(await drawn(path, 'image/heic')).toEqual([300, 100, false, true]);
    await wide().withMetadata({ orientation: 6 }).jpeg().toFile(join(folder, 'turned.jpg'));
    expect(await drawn(encode('turned.jpg', 'turned.heic'), 'image/heic')).toEqual([300, 100, false, true]);
    const input = { path, scratch: join(folder, 'none') };
    await expect(decodeHeic(input, [{ name: 'no-such-program', args: [] }])).rejects.toMatchObject({
      reason: 'no converter',
      message: expect.stringContaining('libheif-examples'),
    });
    const cut = join(folder, 'cut.heic');
    writeFileSync(cut, readFileSync(path).subarray(0, -200));
    await expect(read(cut)).rejects.toMatchObject({ reason: 'invalid' });
  });

  it('a program that never ends is stopped when the caller leaves', async () => {
    const bin = join(folder, 'bin');
    const pid = join(folder, 'pid');
    await wide().png().toFile(join(folder, 'endless.png'));
    const path = encode('endless.png', 'endless.heic');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'heif-dec'),
      `#!/bin/sh\necho $$ > ${pid}.new && mv ${pid}.new ${pid}\nexec sleep 600\n`,
      {
        mode: 0o755,
      },
    );
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    const own = openDocuments(documentSettings.documents.parse({ workers: 1 }));
    const leaving = new AbortController();
    const reading = own.read({ path, name: 'photo' }, {}, leaving.signal)[Symbol.asyncIterator]().next();
    await Promise.race([reading, until('the program', () => existsSync(pid))]);
    leaving.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
    await until('its end', () => !isAlive(Number(readFileSync(pid, 'utf8'))));
    await own.close();
    vi.stubEnv('PATH', process.env.PATH?.replace(`${bin}:`, '') ?? '');
  });
});
