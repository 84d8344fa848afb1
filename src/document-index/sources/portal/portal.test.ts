import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestSources } from '../../../../test/testkit/sources/open-test-sources.ts';
import { type PortalServer, startPortalServer } from '../../../../test/testkit/sources/portal-server.ts';

const places = () => [
  {
    id: '100',
    name: 'Эксплуатация',
    path: '/community/ops',
    contents: [
      {
        id: '1',
        number: '1234',
        type: 'document' as const,
        subject: 'Регламент',
        html: '<body><p>Пуск насоса.</p><a href="/docs/DOC-5">см.</a></body>',
        attachments: [
          { id: '11', name: 'Акт.docx', type: 'application/msword', content: Buffer.from('PK акт') },
          { id: '12', name: 'video.mp4', type: 'video/mp4', content: Buffer.from('mp4') },
        ],
      },
      {
        id: '2',
        type: 'file' as const,
        subject: 'Паспорт',
        file: {
          name: 'Паспорт насоса.pdf',
          type: 'application/pdf',
          content: Buffer.from('%PDF-1.4 паспорт'),
        },
      },
    ],
    places: [
      {
        id: '101',
        name: 'Насосы',
        path: '/community/ops/pumps',
        contents: [{ id: '3', type: 'post' as const, subject: 'Новости цеха', html: '<p>Новый насос.</p>' }],
      },
    ],
  },
  { id: '200', name: 'ops archive', path: '/community/ops-archive', contents: [] },
];

let portal: PortalServer;
let kit: ReturnType<typeof openTestSources>;

beforeEach(async () => {
  portal = await startPortalServer({ places: places() });
  kit = openTestSources({ allow: [portal.entry] });
});
afterEach(async () => {
  await kit.close();
  await portal.close();
});

const descriptor = (path: string, password = 'пароль') => ({
  type: 'portal' as const,
  url: portal.url + path,
  login: 'ivanov',
  password,
});

describe('portal', () => {
  it('lists the documents, files, posts and attachments of a space and its sub-spaces', async () => {
    for (const faults of [{}, { cap: 1 }, { cycle: true }, { refuseEvery: 3 }]) {
      Object.assign(portal.faults, faults);
      const items = await kit.list(descriptor('/community/ops/content'));
      expect(
        items.map(({ id, name, path }) => [id, name, path.join('/')]),
        JSON.stringify(faults),
      ).toEqual([
        ['document:1', 'Регламент.pdf', 'Эксплуатация'],
        ['attachment:1:11', 'Акт.docx', 'Эксплуатация/Регламент'],
        ['attachment:1:12', 'video.mp4', 'Эксплуатация/Регламент'],
        ['file:2', 'Паспорт насоса.pdf', 'Эксплуатация'],
        ['post:3', 'Новости цеха.pdf', 'Эксплуатация/Насосы'],
      ]);
      expect(items[2]?.problem).toMatch(/\.mp4 can't be read/);
      expect(items[0]?.url).toBe(`${portal.url}/docs/DOC-1234`);
      Object.assign(portal.faults, { refuseEvery: 0 });
    }
  });

  it('lists the rest where a place, or the places in one, can not be listed', async () => {
    const space = descriptor('/community/ops');
    for (const refused of [403, 404, 500, 0]) {
      portal.faults.refused = { 'v3/places/101)': refused };
      expect((await kit.list(space)).at(-1)).toMatchObject({
        id: 'place:101',
        name: 'Насосы',
        containers: ['places:100'],
        unlisted: true,
      });
      portal.faults.refused = { '/places/100/places': refused };
      expect(
        (await kit.list(space)).map(({ id, unlisted }) => (unlisted ? `no ${id}` : id)).slice(3),
      ).toEqual(['file:2', 'no places:100']);
    }
    portal.faults.refused = {};
    expect((await kit.list(space)).at(-1)?.containers).toEqual(['places:100', 'place:101']);
  });

  it('lists one document by its link, and fetches every kind', async () => {
    const document = descriptor('/docs/DOC-1234');
    const [regulation, act] = await kit.list(document);
    expect(await kit.list(document)).toHaveLength(3);
    expect(await kit.fetch(document, regulation)).toMatchObject({
      name: 'Регламент.pdf',
      type: 'application/pdf',
    });
    expect(await kit.fetch(document, act)).toMatchObject({ name: 'Акт.docx', text: 'PK акт' });
    const space = descriptor('/community/ops');
    const items = await kit.list(space);
    expect(await kit.fetch(space, items[3])).toMatchObject({
      name: 'Паспорт насоса.pdf',
      text: '%PDF-1.4 паспорт',
    });
    const post = await kit.fetch(space, items[4]);
    expect(post).toMatchObject({ name: 'Новости цеха.pdf', type: 'application/pdf' });
    expect((await kit.read(post.bytes)).map(({ text }) => text)).toEqual([
      'Эксплуатация › Насосы › Новости цеха',
      'Новости цеха',
      'Новый насос.',
      '1 / 1',
    ]);
  });

  it('renders a document itself where the portal sends a login page instead of the PDF', async () => {
    portal.faults.loginInsteadOfPdf = true;
    const [regulation] = await kit.list(descriptor('/docs/DOC-1234'));
    const file = await kit.fetch(descriptor('/docs/DOC-1234'), regulation);
    expect(file).toMatchObject({ name: 'Регламент.pdf', type: 'application/pdf' });
    const elements = await kit.read(file.bytes);
    expect(elements.map(({ text }) => text)).toContain('Пуск насоса.');
    expect(elements.flatMap(({ links = [] }) => links.map(({ url }) => url))).toEqual([
      `${portal.url}/docs/DOC-5`,
    ]);
  });

  it('explains a wrong password, a document that is gone and a space that is none', async () => {
    const error: Error = await kit.list(descriptor('/community/ops', 'hunter2')).catch((problem) => problem);
    expect(error.message).toMatch(/the login or the password is wrong/);
    expect(error.message).not.toMatch(/hunter2|ivanov|internal detail/);
    expect(portal.seen).toHaveLength(1);
    await expect(kit.list(descriptor('/docs/DOC-99'))).rejects.toThrow(/no document DOC-99/);
    await expect(kit.list(descriptor('/groups/none'))).rejects.toThrow(/'none'/);
    const [, act] = await kit.list(descriptor('/docs/DOC-1234'));
    portal.places[0]?.contents[0]?.attachments?.shift();
    await expect(kit.fetch(descriptor('/docs/DOC-1234'), act)).rejects.toThrow(
      /no longer has the file Акт.docx/,
    );
  });
});
