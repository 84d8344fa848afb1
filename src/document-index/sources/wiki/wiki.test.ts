import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestSources } from '../../../../test/testkit/sources/open-test-sources.ts';
import { startWebServer } from '../../../../test/testkit/sources/web-server.ts';
import { startWikiServer, type WikiServer } from '../../../../test/testkit/sources/wiki-server.ts';
import { image } from '../../../documents/pictures/sharp.ts';

const spaces = () => ({
  OPS: {
    name: 'Эксплуатация',
    pages: [
      { id: '1', title: 'Станция', html: '<p>Обзор.</p>' },
      {
        id: '2',
        title: 'Насос / НЦ-40',
        parent: '1',
        version: 3,
        html: '<p>Пуск насоса.</p><table><tr><th>Код</th><th>Бар</th></tr><tr><td>НЦ-40</td><td>2,5</td></tr></table><pre>start();</pre><img src="/download/x.png" alt="схема"><script>x()</script>',
        attachments: [
          {
            id: 'att21',
            title: 'Паспорт.docx',
            type: 'application/msword',
            content: Buffer.from('PK паспорт'),
          },
          { id: 'att22', title: 'scheme.png', type: 'image/png', content: Buffer.from('png') },
          { id: 'att23', title: 'backup.zip', type: 'application/zip', content: Buffer.from('zip') },
        ],
      },
      { id: '3', title: 'Котёл', parent: '2' },
      { id: '4', title: 'Остановка', parent: '3' },
      { id: '5', title: 'Архив' },
    ],
  },
});

let wiki: WikiServer;
let kit: ReturnType<typeof openTestSources>;

beforeEach(async () => {
  wiki = await startWikiServer({ spaces: spaces(), context: '/confluence' });
  kit = openTestSources({ allow: [wiki.entry] });
});
afterEach(async () => {
  await kit.close();
  await wiki.close();
});

const descriptor = (path: string, api_key = 'wiki-token') => ({
  type: 'wiki' as const,
  url: wiki.base + path,
  api_key,
});
const names = async (path: string) => (await kit.list(descriptor(path))).map(({ name }) => name);

describe('wiki', () => {
  it('lists a page, all below it and their attachments except pictures, with paths, versions and addresses', async () => {
    const items = await kit.list(descriptor('/display/OPS/%D0%A1%D1%82%D0%B0%D0%BD%D1%86%D0%B8%D1%8F'));
    expect(items.map(({ id }) => id)).toEqual([
      'page:1',
      'page:2',
      'attachment:att21',
      'attachment:att23',
      'page:3',
      'page:4',
    ]);
    expect(items[1]).toEqual({
      id: 'page:2',
      version: '3',
      name: 'Насос _ НЦ-40.pdf',
      title: 'Насос / НЦ-40',
      url: `${wiki.base}/display/OPS/${encodeURIComponent('Насос / НЦ-40').replaceAll('%20', '+')}`,
      size: null,
      path: ['Эксплуатация', 'Станция'],
      containers: ['children:1'],
    });
    expect(items[2]).toMatchObject({
      name: 'Паспорт.docx',
      path: ['Эксплуатация', 'Станция', 'Насос / НЦ-40'],
    });
    expect(items[3]?.problem).toMatch(/\.zip can't be read/);
    expect(items.at(-1)?.path).toEqual(['Эксплуатация', 'Станция', 'Насос / НЦ-40', 'Котёл']);
  });

  it('finds the same pages where the server caps its lists, has no search, or leaves attachments out', async () => {
    const all = await names('/pages/viewpage.action?pageId=1');
    Object.assign(wiki.faults, { cap: 1 });
    expect(await names('/pages/viewpage.action?pageId=1')).toEqual(all);
    Object.assign(wiki.faults, { noSearch: true, noExpansion: true });
    expect((await names('/pages/viewpage.action?pageId=1')).sort()).toEqual(all.sort());
    expect(await names('/display/OPS')).toContain('Архив.pdf');
    expect(wiki.seen.every(({ url }) => !url?.includes('/descendant/'))).toBe(true);
  });

  it('lists the rest where the pages below one, or its attachments, can not be listed', async () => {
    const ids = async () =>
      (await kit.list(descriptor('/pages/viewpage.action?pageId=1'))).map(({ id, unlisted }) =>
        unlisted ? `no ${id}` : id,
      );
    const all = await ids();
    wiki.faults.emptySearch = true;
    expect((await ids()).toSorted()).toEqual(all.toSorted());
    for (const refused of [403, 404, 500, 0]) {
      wiki.faults.refused = { '/content/2/child/page': refused, '/content/search': refused };
      expect(await ids()).toEqual([...all.slice(0, 4), 'no children:2']);
    }
    Object.assign(wiki.faults, { noExpansion: true, refused: { '/content/2/child/attachment': 403 } });
    expect(await ids()).toEqual(['page:1', 'page:2', 'no attachments:2', 'page:3', 'page:4']);
    wiki.faults.refused = { '/content/1/child/page': 500 };
    await expect(ids()).rejects.toMatchObject({ status: 502 });
  });

  it("fetches the server's own PDF, with the path at the top, and attachments", async () => {
    const [page, , attachment] = await kit.list(descriptor('/display/OPS'));
    const file = await kit.fetch(descriptor('/display/OPS'), page);
    expect(file).toMatchObject({ name: 'Станция.pdf', type: 'application/pdf' });
    expect(file.text).toMatch(/^%PDF-/);
    expect((await kit.read(file.bytes))[0]?.text).toBe('Эксплуатация › Станция');
    await expect(kit.fetch(descriptor('/display/OPS'), attachment)).resolves.toMatchObject({
      name: 'Паспорт.docx',
      text: 'PK паспорт',
    });
  });

  it('renders a page itself where the export breaks off', async () => {
    wiki.faults.cutExports = true;
    const [page] = await kit.list(descriptor('/display/OPS'));
    const { text } = await kit.fetch(descriptor('/display/OPS'), page);
    expect(text).toContain('/Producer (Roundhouse)');
  });

  it('renders a page itself where the export is a login page or fails', async () => {
    wiki.faults.loginInsteadOfPdf = true;
    const [first, second, ...rest] = (await kit.list(descriptor('/display/OPS'))).filter(({ id }) =>
      id.startsWith('page'),
    );
    const file = await kit.fetch(descriptor('/display/OPS'), second);
    expect(file).toMatchObject({ name: 'Насос _ НЦ-40.pdf', type: 'application/pdf' });
    expect(file.warning).toBeUndefined();
    expect((await kit.read(file.bytes)).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'UncategorizedText: Эксплуатация › Станция › Насос / НЦ-40',
      'Title: Насос / НЦ-40',
      'UncategorizedText: Пуск насоса.',
      'Table: Код Бар\nНЦ-40 2,5',
      'CodeSnippet: start();',
      'UncategorizedText: схема',
      'PageNumber: 1 / 1',
    ]);
    const again = await kit.fetch(descriptor('/display/OPS'), second);
    expect(again.bytes.equals(file.bytes)).toBe(true);
    for (const item of [first, ...rest]) await kit.fetch(descriptor('/display/OPS'), item);
    // It gives up on exports after three failures.
    expect(wiki.seen.filter(({ url }) => url?.includes('flyingpdf')).length).toBe(3);
  });

  it('shows pictures, and sends the token for them to the wiki alone', async () => {
    const red = { width: 60, height: 40, channels: 3 as const, background: '#c00' };
    const picture = await image({ create: red }).png().toBuffer();
    const elsewhere = await startWebServer((_, response) => response.end(picture), { host: '127.0.0.2' });
    const own = openTestSources({ allow: [wiki.entry, elsewhere.entry] });
    try {
      wiki.faults.loginInsteadOfPdf = true;
      const found = wiki.spaces.OPS?.pages[1];
      found?.attachments?.splice(1, 1, {
        id: 'att22',
        title: 'scheme.png',
        type: 'image/png',
        content: picture,
      });
      const sources = [
        `${wiki.base}/download/attachments/2/scheme.png`,
        `${elsewhere.url}/x.png`,
        '/none.png',
      ];
      Object.assign(found ?? {}, { html: sources.map((src) => `<img src="${src}" alt="valve">`).join('') });
      const [, page] = (await own.list(descriptor('/display/OPS'))).filter(({ id }) => id.startsWith('page'));
      const { text } = await own.fetch(descriptor('/display/OPS'), page);
      expect(text.match(/\/Subtype \/Image/g)).toHaveLength(2);
      expect(elsewhere.seen).toHaveLength(1);
      expect(JSON.stringify(elsewhere.seen)).not.toContain('wiki-token');
    } finally {
      await own.close();
      await elsewhere.close();
    }
  });

  it('leaves the export of other pages alone where one fails', async () => {
    wiki.faults.brokenExports = ['1'];
    const [first, second] = (await kit.list(descriptor('/display/OPS'))).filter(({ id }) =>
      id.startsWith('page'),
    );
    const [rendered, exported] = [
      await kit.fetch(descriptor('/display/OPS'), first),
      await kit.fetch(descriptor('/display/OPS'), second),
    ];
    expect(rendered.text).toContain('/Producer (Roundhouse)');
    expect(exported.type).toBe('application/pdf');
    expect(exported.text).not.toContain('Roundhouse');
  });

  it('explains a wrong token, a page that is gone and a link to something else', async () => {
    await expect(kit.list(descriptor('/display/OPS', 'hunter2'))).rejects.toThrow(
      /token has expired or is mistyped/,
    );
    for (const odd of ['hunter2\nx: y', 'ключ']) {
      await expect(kit.list(descriptor('/display/OPS', odd))).rejects.toThrow(
        /characters that no header can have/,
      );
    }
    await expect(kit.list(descriptor('/display/OPS/Nothing'))).rejects.toThrow(/no page 'Nothing'/);
    await expect(kit.list(descriptor('/display/NONE'))).rejects.toMatchObject({ status: 502 });
    await expect(kit.list(descriptor('/dashboard.action'))).rejects.toMatchObject({ status: 400 });
    const [, page] = await kit.list(descriptor('/display/OPS'));
    wiki.spaces.OPS?.pages.splice(1, 1);
    const error: Error = await kit.fetch(descriptor('/display/OPS'), page).catch((problem) => problem);
    expect(error).toMatchObject({ status: 502, message: expect.stringContaining('nothing at this address') });
    expect(error.message).not.toContain('atlassian');
  });

  it('sends the token nowhere else', async () => {
    const [, , attachment] = await kit.list(descriptor('/display/OPS'));
    const elsewhere = { ...attachment, url: 'http://elsewhere.example/x' } as typeof attachment;
    await expect(kit.fetch(descriptor('/display/OPS'), elsewhere)).rejects.toThrow(/not part of the wiki/);
  });

  it('goes on at the pace that the server allows', async () => {
    wiki.faults.rateLimit = { perSecond: 1_000, burst: 2 };
    wiki.faults.cap = 1;
    expect(await names('/display/OPS')).toHaveLength(7);
  });
});
