import type { SourceDescriptor } from '../../../src/contracts/document-index/sources.ts';
import { openSources } from '../../../src/document-index/sources/open-sources.ts';
import type { SourceItem } from '../../../src/document-index/sources/source.ts';
import type { DocumentElement } from '../../../src/documents/element.ts';
import { createOutgoing } from '../../../src/platform/outgoing/create-outgoing.ts';
import { openTestDocuments } from '../documents/open-test-documents.ts';

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
  const documents = openTestDocuments();
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
    read: async (bytes: Buffer): Promise<DocumentElement[]> => (await documents.readPdf(bytes)).elements,
    close: () => Promise.all([outgoing.close(), documents.close()]),
  };
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}
