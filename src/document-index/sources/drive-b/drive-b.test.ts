import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DriveBServer, startDriveBServer } from '../../../../test/testkit/sources/drive-b-server.ts';
import { openTestSources } from '../../../../test/testkit/sources/open-test-sources.ts';

const share = 'https://disk.yandex.ru/d/AbCdEf12345';
const single = 'https://disk.yandex.ru/i/XyZ98765';
const large = Buffer.alloc(300_000, 'насос ');

const shares = () => ({
  [share]: [
    { path: '/', name: 'Отчёты' },
    { path: '/Итог.pdf', content: large, md5: 'aa' },
    { path: '/архив.zip', content: Buffer.from('zip') },
    { path: '/2026' },
    { path: '/2026/План № 5.docx', content: Buffer.from('PK план') },
    { path: '/2026/смета.xlsx', content: Buffer.from('PK смета') },
    { path: '/закрыто', status: 403 },
  ],
  [single]: [{ path: '/', name: 'Письмо.txt', content: Buffer.from('письмо') }],
});

let drive: DriveBServer;
let kit: ReturnType<typeof openTestSources>;

beforeEach(async () => {
  drive = await startDriveBServer(shares());
  kit = openTestSources({ driveB: { endpoint: drive.url, token: 'y0_token' } });
});
afterEach(async () => {
  await kit.close();
  await drive.close();
});

const link = (url: string) => ({ type: 'drive_b' as const, url });

describe('drive_b', () => {
  it('lists a folder with those in it, one without access too', async () => {
    for (const faults of [{}, { cap: 1 }, { refuseEvery: 3 }]) {
      Object.assign(drive.faults, faults);
      const items = await kit.list(link(share));
      expect(
        items.map(({ name, path }) => [...path, name].join('/')),
        JSON.stringify(faults),
      ).toEqual([
        'Отчёты/Итог.pdf',
        'Отчёты/архив.zip',
        'Отчёты/2026/План № 5.docx',
        'Отчёты/2026/смета.xlsx',
        'Отчёты/закрыто',
      ]);
      expect(items[0]).toMatchObject({
        version: 'aa',
        size: 300_000,
        url: `${share}/${encodeURIComponent('Итог.pdf')}`,
      });
      expect(items[1]?.problem).toMatch(/\.zip can't be read/);
      expect(items[4]?.problem).toMatch(/password|forbids access/);
    }
  });

  it('lists the rest where a folder can not be listed to its end', async () => {
    for (const refused of [403, 404, 500, 0]) {
      drive.faults.refused = { 'path=/2026&': refused };
      const items = await kit.list(link(share));
      expect(items.map(({ name }) => name)).toEqual(['Итог.pdf', 'архив.zip', '2026', 'закрыто']);
      expect(items[2]).toMatchObject({ unlisted: true, containers: [`${share}:/`] });
    }
    drive.faults.refused = {};
    drive.faults.unlisted = 3;
    const items = await kit.list(link(share));
    expect(items.filter(({ unlisted }) => unlisted).map(({ name, problem }) => [name, problem])).toEqual([
      ['2026', expect.stringContaining('less than the folder holds')],
      ['закрыто', expect.anything()],
      [expect.anything(), expect.stringContaining('less than the folder holds')],
    ]);
    expect(items[2]?.containers).toEqual([`${share}:/`, `42:${share}/2026`]);
  });

  it('lists a part of a folder, and a single file', async () => {
    const inner = await kit.list(link(`${share}/2026`));
    expect(inner.map(({ name }) => name)).toEqual(['План № 5.docx', 'смета.xlsx']);
    const [letter] = await kit.list(link(single));
    expect(letter).toMatchObject({ name: 'Письмо.txt', url: single, path: [] });
    expect(await kit.fetch(link(single), letter)).toMatchObject({ name: 'Письмо.txt', text: 'письмо' });
  });

  it('fetches files, also when the connection is cut, and sends the token to the API only', async () => {
    const items = await kit.list(link(share));
    expect(await kit.fetch(link(share), items[2])).toMatchObject({ name: 'План № 5.docx', text: 'PK план' });
    drive.faults.cutAfter = 70_000;
    const { bytes } = await kit.fetch(link(share), items[0]);
    expect(bytes.equals(large)).toBe(true);
    const storage = drive.seen.filter(({ url }) => url?.startsWith('/storage'));
    expect(storage.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('explains what is missing or refused, without the token', async () => {
    const unset = openTestSources({ driveB: { endpoint: drive.url } });
    await expect(unset.list(link(share))).rejects.toMatchObject({ code: 'source_not_configured' });
    await unset.close();
    const wrong = openTestSources({ driveB: { endpoint: drive.url, token: 'hunter2' } });
    const error: Error = await wrong.list(link(share)).catch((problem) => problem);
    expect(error.message).toMatch(/DRIVE_B_TOKEN has expired/);
    expect(error.message).not.toContain('hunter2');
    await wrong.close();
    await expect(kit.list(link('https://disk.yandex.ru/d/nothing'))).rejects.toThrow(/no longer public/);
    const [report] = await kit.list(link(share));
    drive.shares[share]?.splice(1, 1);
    await expect(kit.fetch(link(share), report)).rejects.toThrow(/no such file/);
  });
});
