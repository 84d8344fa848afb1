import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DriveAServer, startDriveAServer } from '../../../../test/testkit/sources/drive-a-server.ts';
import { openTestSources } from '../../../../test/testkit/sources/open-test-sources.ts';

const files = () => [
  { id: 'folder-root', name: 'Документы', type: 'folder' },
  {
    id: 'file-report',
    name: 'Отчёт.pdf',
    type: 'application/pdf',
    parent: 'folder-root',
    md5: 'aa',
    content: Buffer.from('%PDF-1.4 отчёт'),
  },
  {
    id: 'native-plan',
    name: 'План',
    type: 'document',
    parent: 'folder-root',
    content: Buffer.from('%PDF-1.4 план'),
  },
  {
    id: 'native-sheet',
    name: 'Смета',
    type: 'spreadsheet',
    parent: 'folder-root',
    content: Buffer.from('PK смета'),
  },
  { id: 'native-form', name: 'Опрос', type: 'form', parent: 'folder-root' },
  {
    id: 'file-locked',
    name: 'Закрыто.pdf',
    type: 'application/pdf',
    parent: 'folder-root',
    canDownload: false,
  },
  { id: 'folder-inner', name: 'Архив', type: 'folder', parent: 'folder-root' },
  {
    id: 'file-old',
    name: 'Отчёт.pdf',
    type: 'application/pdf',
    parent: 'folder-inner',
    content: Buffer.from('%PDF-1.4 старый'),
  },
  { id: 'shortcut-up', name: 'Назад', type: 'shortcut', parent: 'folder-inner', target: 'folder-root' },
  { id: 'shortcut-out', name: 'Приказ', type: 'shortcut', parent: 'folder-inner', target: 'file-order' },
  {
    id: 'shortcut-gone',
    name: 'Пропавший',
    type: 'shortcut',
    parent: 'folder-inner',
    target: 'file-none-at-all',
  },
  { id: 'file-order', name: 'Приказ.txt', type: 'text/plain', content: Buffer.from('приказ') },
  {
    id: 'file-keyed',
    name: 'Ключ.txt',
    type: 'text/plain',
    content: Buffer.from('ключ'),
    resourceKey: '0-key',
  },
];

let drive: DriveAServer;
let kit: ReturnType<typeof openTestSources>;

beforeEach(async () => {
  drive = await startDriveAServer(files());
  kit = openTestSources({ driveA: { endpoint: `${drive.url}/`, credentials_path: drive.credentialsPath } });
});
afterEach(async () => {
  await kit.close();
  await drive.close();
});

const folder = {
  type: 'drive_a' as const,
  url: 'https://drive.google.com/drive/u/0/folders/folder-root?usp=sharing',
};

describe('drive_a', () => {
  it('lists a folder with those in it, formats of its own, shortcuts and their cycles', async () => {
    for (const faults of [{}, { cap: 1 }, { refuseEvery: 3 }]) {
      Object.assign(drive.faults, faults);
      const items = await kit.list(folder);
      expect(
        items.map(({ id, name, path }) => `${path.join('/')} ${name} ${id}`),
        JSON.stringify(faults),
      ).toEqual([
        'Документы Отчёт.pdf file:file-report',
        'Документы План.pdf pdf:native-plan',
        'Документы Смета.xlsx xlsx:native-sheet',
        'Документы Опрос file:native-form',
        'Документы Закрыто.pdf file:file-locked',
        expect.stringMatching(/^Документы\/Архив Отчёт \([0-9a-f]{6}\)\.pdf file:file-old$/),
        'Документы/Архив Приказ.txt file:file-order',
        'Документы/Архив Пропавший shortcut:shortcut-gone',
      ]);
      expect(items.flatMap(({ problem }) => problem ?? [])).toEqual([
        "a form can't be exported",
        'the owner of the file forbids downloads',
        expect.stringMatching(/^the shortcut leads nowhere/),
      ]);
      expect(items[0]).toMatchObject({ version: 'aa', size: Buffer.byteLength('%PDF-1.4 отчёт') });
    }
    expect(drive.tokens).toBe(1);
  });

  it('lists the rest where a folder or shortcut can not be listed', async () => {
    const whole = (await kit.list(folder)).length;
    const inner = {
      id: 'folder:folder-inner',
      name: 'Архив',
      containers: ['folder:folder-root'],
      unlisted: true,
    };
    for (const refused of [403, 404, 500, 0]) {
      drive.faults.refused = { "'folder-inner' in parents": refused };
      const items = await kit.list(folder);
      expect(items, String(refused)).toHaveLength(whole - 2);
      expect(items.at(-1)).toMatchObject({ ...inner, problem: expect.stringMatching(/./) });
      drive.faults.refused = { '/files/file-order': refused };
      expect((await kit.list(folder))[6]).toMatchObject({ id: 'shortcut:shortcut-out', unlisted: true });
    }
    drive.faults.refused = {};
    Object.assign(drive.files.find(({ id }) => id === 'folder-inner') ?? {}, { canListChildren: false });
    expect((await kit.list(folder)).at(-1)).toMatchObject(inner);
    drive.faults.refused = { "'folder-root' in parents": 500 };
    await expect(kit.list(folder)).rejects.toMatchObject({ status: 502 });
  });

  it('knows what lies in which folder, and lists that are not complete', async () => {
    const [, , , , , old, order] = await kit.list(folder);
    expect(old?.containers).toEqual(['folder:folder-root', 'folder:folder-inner']);
    expect(order?.containers).toEqual([...(old?.containers ?? []), 'shortcut:shortcut-out']);
    drive.faults.incompleteSearch = true;
    const parts = async () =>
      (await kit.list(folder)).flatMap(({ unlisted, id, problem }) => (unlisted ? [[id, problem]] : []));
    const both = ['folder:folder-inner', 'folder:folder-root'];
    expect((await parts()).map(([id]) => id)).toEqual(['shortcut:shortcut-gone', ...both]);
    Object.assign(drive.faults, { incompleteSearch: false, endlessToken: '0' });
    const again = expect.stringContaining('again');
    expect(await parts()).toEqual([expect.anything(), ...both.map((id) => [id, again])]);
  });

  it('says of files in the trash that they are gone, whatever leads there', async () => {
    const whole = await kit.list(folder);
    for (const id of ['file-report', 'file-order'])
      Object.assign(drive.files.find((file) => file.id === id) ?? {}, { trashed: true });
    const items = await kit.list(folder);
    expect(items).toHaveLength(whole.length - 1);
    const gone = { problem: 'it is in the trash', gone: true };
    expect(items.find(({ id }) => id === 'file:file-order')).toMatchObject(gone);
    const link = { type: 'drive_a' as const, url: 'https://drive.google.com/file/d/file-report/view' };
    expect(await kit.list(link)).toMatchObject([{ id: 'file:file-report', ...gone }]);
  });

  it('fetches files and exports, large ones too', async () => {
    const [report, plan, sheet] = await kit.list(folder);
    expect(await kit.fetch(folder, report)).toMatchObject({ name: 'Отчёт.pdf', text: '%PDF-1.4 отчёт' });
    expect(await kit.fetch(folder, sheet)).toMatchObject({ name: 'Смета.xlsx', text: 'PK смета' });
    drive.faults.largeExports = true;
    expect(await kit.fetch(folder, plan)).toMatchObject({ name: 'План.pdf', text: '%PDF-1.4 план' });
    // Only PDF has an address for large exports here.
    await expect(kit.fetch(folder, sheet)).rejects.toThrow(/too large to be exported/);
  });

  it('sends the resource key of a link', async () => {
    const link = {
      type: 'drive_a' as const,
      url: 'https://drive.google.com/file/d/file-keyed/view?resourcekey=0-key',
    };
    const [item] = await kit.list(link);
    expect(await kit.fetch(link, item)).toMatchObject({ name: 'Ключ.txt', text: 'ключ' });
    const bare = { type: 'drive_a' as const, url: 'https://drive.google.com/file/d/file-keyed/view' };
    await expect(kit.list(bare)).rejects.toThrow(/not shared with the service account/);
  });

  it('explains what is missing or refused, without the key', async () => {
    const unset = openTestSources({ driveA: { endpoint: drive.url } });
    await expect(unset.list(folder)).rejects.toMatchObject({ code: 'source_not_configured' });
    await unset.close();
    await kit.list(folder);
    drive.revoke();
    await expect(kit.list(folder)).rejects.toThrow(/does not accept the service account/);
    // The next request gets a new token.
    await expect(kit.list(folder)).resolves.toHaveLength(8);
    const other = await startDriveAServer([]);
    const foreign = openTestSources({
      driveA: { endpoint: drive.url, credentials_path: other.credentialsPath },
    });
    await expect(foreign.list(folder)).rejects.toThrow(/does not accept the service account/);
    await other.close();
    await foreign.close();
    writeFileSync(drive.credentialsPath, '{"private_key":"hunter2"}');
    const broken = openTestSources({
      driveA: { endpoint: drive.url, credentials_path: drive.credentialsPath },
    });
    const error: Error = await broken.list(folder).catch((problem) => problem);
    expect(error.message).toMatch(/can't be used \(it is not the key file/);
    expect(error.message).not.toContain('hunter2');
    await broken.close();
  });
});
