import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { InternalFault, Unprocessable } from '../../contracts/problems.ts';
import type { PageWriter } from '../../documents/writing/page-writer.ts';
import { createOutgoing } from '../../platform/outgoing/create-outgoing.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import { Unlistable } from './api/list-part.ts';
import { createDirectLink } from './direct-link/direct-link.ts';
import { createDriveA } from './drive-a/drive-a.ts';
import { createDriveB } from './drive-b/drive-b.ts';
import { distinctName } from './files/distinct-name.ts';
import { cleanName } from './files/file-name.ts';
import { createPortal } from './portal/portal.ts';
import type { SourceSettings } from './settings.ts';
import type { Source, SourceItem, Sources } from './source.ts';
import { createWiki } from './wiki/wiki.ts';

export interface SourcesConfig {
  outgoing: Parameters<typeof createOutgoing>[0]['settings'];
  sources: SourceSettings;
}

export interface OpenSources extends Sources {
  close(): Promise<void>;
}

interface SourcesDependencies {
  config: SourcesConfig;
  /** Renders pages that their system does not export. */
  writer: PageWriter;
  outgoing?: Outgoing;
}

export function openSources({ config, writer, outgoing: given }: SourcesDependencies): OpenSources {
  const outgoing = given ?? createOutgoing({ settings: config.outgoing });
  const { sources } = config;
  const all: { [Type in SourceDescriptor['type']]: Source<Extract<SourceDescriptor, { type: Type }>> } = {
    direct_link: createDirectLink({ outgoing }),
    drive_a: createDriveA({ outgoing, settings: sources.drive_a }),
    drive_b: createDriveB({ outgoing, settings: sources.drive_b }),
    portal: createPortal({ outgoing, writer }),
    wiki: createWiki({ outgoing, writer }),
  };
  // The type of a descriptor chooses the source that takes it, which TypeScript can't follow.
  const sourceOf = ({ type }: SourceDescriptor) => all[type] as unknown as Source;
  const listedBy = new WeakMap<SourceItem, SourceDescriptor>();
  return {
    async *list(descriptor, options) {
      const late = new AbortController();
      const problem = new Unlistable(`the listing took more than ${sources.time_limit / 60_000} minutes`);
      const timer = setTimeout(() => late.abort(problem), sources.time_limit);
      const signal = AbortSignal.any([options.signal, late.signal]);
      try {
        for await (const item of limited(sourceOf(descriptor).list(descriptor, { signal }), sources)) {
          signal.throwIfAborted();
          listedBy.set(item, descriptor);
          yield item;
        }
      } finally {
        clearTimeout(timer);
      }
    },
    async fetch(item, { descriptor = listedBy.get(item), ...options }) {
      if (!descriptor) throw new InternalFault('a file was fetched without its source');
      return sourceOf(descriptor).fetch(descriptor, item, options);
    },
    async close() {
      if (!given) await outgoing.close();
    },
  };
}

async function* limited(
  items: AsyncGenerator<SourceItem>,
  { max_items: most }: SourceSettings,
): AsyncGenerator<SourceItem> {
  const ids = new Set<string>();
  const names = new Set<string>();
  let repeated = 0;
  for await (const item of items) {
    if (ids.has(item.id)) {
      repeated++;
      if (repeated > most) throw new Unprocessable('the source lists the same documents again and again');
      continue;
    }
    if (ids.size >= most)
      throw new Unprocessable(`the source has more than ${most} documents (sources.max_items)`);
    ids.add(item.id);
    const name = distinctName(cleanName(item.name), item.id, names);
    names.add(name.toLowerCase());
    yield { ...item, name };
  }
}
