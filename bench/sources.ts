// Lists and fetches a wiki of 2,000 pages that takes 20 ms per request and limits the rate of requests, and compares
// the time with what the limit allows. Then a bot is made of the wiki and synced twice, without and with a change: the
// first sync must fetch nothing, the second one document. At last the export is switched off: pages are rendered by us.
//
//   node bench/sources.ts [--pages 2000] [--rate 100] [--parallel 8]
import { parseArgs } from 'node:util';
import { openSources } from '../src/document-index/sources/open-sources.ts';
import type { SourceItem } from '../src/document-index/sources/source.ts';
import { openDocuments } from '../src/documents/read-document.ts';
import { documentSettings } from '../src/documents/settings.ts';
import { openFaces } from '../src/documents/writing/type/faces.ts';
import { writePdf } from '../src/documents/writing/write-pdf.ts';
import { fields, openIndexPlatform } from '../test/testkit/document-index/index-platform.ts';
import { startWikiServer } from '../test/testkit/sources/wiki-server.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '100' },
    parallel: { type: 'string', default: '8' },
  },
});
const count = Number(values.pages);
const rateLimit = { perSecond: Number(values.rate), burst: Number(values.rate) };

const pages = Array.from({ length: count }, (_, at) => ({
  id: String(at + 1),
  title: `Page ${at + 1}`,
  ...(at > 0 && { parent: String(Math.ceil(at / 10)) }),
  html: `<p>${'The pump supplies the boiler. '.repeat(60)}</p>`,
}));
const wiki = await startWikiServer({ spaces: { BENCH: { name: 'Benchmark', pages } } });
Object.assign(wiki.faults, { latency: 20, rateLimit });
const descriptor = {
  type: 'wiki' as const,
  url: `${wiki.base}/pages/viewpage.action?pageId=1`,
  api_key: 'wiki-token',
};
const documents = openDocuments({ ...documentSettings.documents.parse({}), workers: 1 });
const sources = openSources({
  writer: documents.writer,
  config: {
    outgoing: { allow: [wiki.entry], time_limit: 60_000, longest_wait: 60_000 },
    sources: {
      max_items: 50_000,
      time_limit: 3_600_000,
      drive_a: { endpoint: 'http://a.invalid' },
      drive_b: { endpoint: 'http://b.invalid' },
    },
  },
});
const { signal } = new AbortController();

let mostMemory = 0;
const watch = setInterval(() => {
  mostMemory = Math.max(mostMemory, process.memoryUsage.rss());
}, 50);

const started = performance.now();
const listed = await list();
const listing = performance.now() - started;
const waiting = [...listed];
let bytes = 0;
await Promise.all(Array.from({ length: Number(values.parallel) }, fetchSome));
const whole = performance.now() - started;

const requests = wiki.seen.length;
clearInterval(watch);
const syncs = await syncTwice();

// Refused requests are not counted: they are the client's own fault.
const needed = listed.length + Math.ceil(listed.length / 100) + 1;
const allowed = (Math.max(0, needed - rateLimit.burst) / rateLimit.perSecond) * 1000;
const ideal = Math.max(allowed, (needed * 20) / Number(values.parallel));
console.log(
  `listed ${listed.length} documents in ${seconds(listing)}, and fetched ${(bytes / 2 ** 20).toFixed(1)} MiB`,
);
console.log(
  `${seconds(whole)} in all; the rate limit allows ${seconds(ideal)}: ${(whole / ideal).toFixed(2)} times (at most 1.2)`,
);
console.log(
  `${requests} requests, ${requests - needed} of them refused or repeated; at most ${Math.round(mostMemory / 2 ** 20)} MiB of memory`,
);
for (const line of syncs) console.log(line);
for (const line of await renderPages()) console.log(line);
await documents.close();
await sources.close();
await wiki.close();

/** Makes a bot of the wiki, with the real commands, and syncs it before and after a change. */
async function syncTwice(): Promise<string[]> {
  const index = await openIndexPlatform({ sources, index: { parallel_documents: Number(values.parallel) } });
  const accepted = index.call('PUT', '/bot/bench/urls', fields({ urls: JSON.stringify(descriptor) }));
  const { command_id } = (await accepted).body;
  const ended = async (command: string) => {
    for (;;) {
      const { body } = await index.call('GET', `/bot/bench/command/${command}`);
      if (body.finished_at) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await ended(command_id);
  const lines: string[] = [];
  for (const what of ['nothing has changed', 'one page has changed']) {
    const before = wiki.seen.length;
    const begun = performance.now();
    const { result } = await ended((await index.call('POST', '/bot/bench/sync')).body.command_id);
    const asked = wiki.seen.slice(before);
    const fetched = asked.filter(({ url }) => url?.includes('pdfpageexport')).length;
    lines.push(
      `sync, ${what}: ${seconds(performance.now() - begun)}, ${asked.length} requests, ${fetched} documents fetched, ` +
        `${result.added.length} indexed, ${result.removed.length} removed, ${result.unchanged} unchanged`,
    );
    const [page] = pages;
    Object.assign(page ?? {}, { version: 2, html: '<p>Changed.</p>' });
  }
  await index.close();
  return lines;
}

/** How fast one worker renders articles of one to two pages, through the sources and in the renderer itself. */
async function renderPages(): Promise<string[]> {
  Object.assign(wiki.faults, { latency: 0, rateLimit: undefined, loginInsteadOfPdf: true });
  const some = listed.slice(0, Math.min(300, listed.length));
  pages.forEach((page, at) => {
    page.html = article(at);
  });
  const fetchOne = async (item: SourceItem) => {
    const { body, type } = await sources.fetch(item, { descriptor, signal, limit: 2 ** 24 });
    if (type !== 'application/pdf') throw new Error(`${item.name} was not rendered`);
    for await (const _ of body);
  };
  for (const item of some.slice(0, 20)) await fetchOne(item);
  const begun = performance.now();
  const queue = some.slice(20);
  const work = async () => {
    for (let item = queue.shift(); item; item = queue.shift()) await fetchOne(item);
  };
  await Promise.all([work(), work(), work()]);
  const rate = (some.length - 20) / ((performance.now() - begun) / 1000);
  const faces = openFaces();
  const page = { title: 'Article', path: ['Benchmark', 'Section'], html: article(1), base: wiki.base };
  for (let at = 0; at < 50; at++) await writePdf(page, [], faces);
  const before = process.cpuUsage();
  for (let at = 0; at < 100; at++) await writePdf({ ...page, html: article(at) }, [], faces);
  const { user, system } = process.cpuUsage(before);
  const perPage = (user + system) / 1000 / 100;
  return [
    `export off: ${rate.toFixed(0)} articles/s fetched and rendered with one worker`,
    `renderer: ${perPage.toFixed(1)} ms of processor time per article: ${(1000 / perPage).toFixed(0)} articles/s per core (at least 40)`,
  ];
}

/** An ordinary article: headings, paragraphs, lists, a table and code. */
function article(seed: number): string {
  const text = (words: number) =>
    Array.from({ length: words }, (_, at) => `word${(seed * 7 + at * 13) % 97}`).join(' ');
  const row = (at: number) => `<tr><td>P-${at}</td><td>${text(6)}</td><td>${at * 2.5} bar</td></tr>`;
  const section = (at: number) =>
    `<h2>Section ${at}</h2><p>${text(90)}</p><ul><li>${text(8)}</li><li>${text(9)}<ul><li>${text(5)}</li></ul></li></ul>`;
  return (
    `<p>${text(60)} <strong>bold</strong> <a href="/x">link</a></p>${[1, 2, 3].map(section).join('')}` +
    `<table><tr><th>Code</th><th>Text</th><th>Value</th></tr>${[1, 2, 3, 4, 5, 6, 7, 8].map(row).join('')}</table>` +
    '<pre>start --pump 1\n  --pressure 2.5</pre>'
  );
}

async function list(): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of sources.list(descriptor, { signal })) items.push(item);
  return items;
}

async function fetchSome(): Promise<void> {
  for (let item = waiting.shift(); item; item = waiting.shift()) {
    const { body } = await sources.fetch(item, { descriptor, signal, limit: 2 ** 24 });
    for await (const chunk of body) bytes += chunk.length;
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
