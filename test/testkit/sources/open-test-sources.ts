import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceDescriptor } from '../../../src/contracts/document-index/sources.ts';
import { openSources } from '../../../src/document-index/sources/open-sources.ts';
import type { SourceItem } from '../../../src/document-index/sources/source.ts';
import type { DocumentElement } from '../../../src/documents/element.ts';
import { openDocuments } from '../../../src/documents/read-document.ts';
import { documentSettings } from '../../../src/documents/settings.ts';
import { createOutgoing } from '../../../src/platform/outgoing/create-outgoing.ts';

interface Options {
  /** Entries of outgoing.allow. */
  allow?: string[];
  driveA?: { endpoint: string; credentials_path?: string };
  driveB?: { endpoint: string; token?: string };
  maxItems?: number;
}

/** Sources that do not wait between two tries, and what tests do with them. */
export function openTestSources({ allow = [], driveA, driveB, maxItems = 1_000 }: Options) {
  const settings = { allow, time_limit: 60_000, longest_wait: 60_000 };
  const outgoing = createOutgoing({ settings, wait: async () => {} });
  const config = {
    outgoing: settings,
    sources: {
      max_items: maxItems,
      time_limit: 60_000,
      drive_a: driveA ?? { endpoint: 'https://drive-a.invalid' },
      drive_b: driveB ?? { endpoint: 'https://drive-b.invalid' },
    },
  };
  // Worker processes start with the first page that is rendered.
  const documents = openDocuments({ ...documentSettings.documents.parse({}), workers: 1 });
  const sources = openSources({ config, outgoing, writer: documents.writer });
  const { signal } = new AbortController();
  return {
    sources,
    list: (descriptor: SourceDescriptor) => collect(sources.list(descriptor, { signal })),
    async fetch(descriptor: SourceDescriptor, item: SourceItem | undefined, limit = 2 ** 24) {
      if (!item) throw new Error('the item was not listed');
      const { body, ...file } = await sources.fetch({ ...item }, { descriptor, signal, limit });
      const bytes = Buffer.concat(await collect(body));
      return { ...file, bytes, text: bytes.toString('utf8') };
    },
    /** What our own reader finds in a file. */
    async read(bytes: Buffer): Promise<DocumentElement[]> {
      const folder = mkdtempSync(join(tmpdir(), 'roundhouse-page-'));
      try {
        const path = join(folder, 'page.pdf');
        writeFileSync(path, bytes);
        return await collect(documents.read({ path, name: 'page.pdf' }, { strategy: 'fast' }));
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    close: () => Promise.all([outgoing.close(), documents.close()]),
  };
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}
