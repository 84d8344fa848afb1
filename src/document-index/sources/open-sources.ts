import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Unprocessable } from '../../contracts/problems.ts';
import { createOutgoing } from '../../platform/outgoing/create-outgoing.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import { createDirectLink } from './direct-link/direct-link.ts';
import { createDriveA } from './drive-a/drive-a.ts';
import { createDriveB } from './drive-b/drive-b.ts';
import { distinctName } from './files/distinct-name.ts';
import { cleanName } from './files/file-name.ts';
import { createPortal } from './portal/portal.ts';
import type { SourceSettings } from './settings.ts';
import type { FetchedFile, FetchOptions, ListOptions, Source, SourceItem } from './source.ts';
import { createWiki } from './wiki/wiki.ts';

export interface SourcesConfig {
  outgoing: Parameters<typeof createOutgoing>[0]['settings'];
  sources: SourceSettings;
}

export interface Sources {
  /** What a descriptor leads to. Ids and names are unique in it. Throws where the source as a whole can't be listed. */
  list(descriptor: SourceDescriptor, options: ListOptions): AsyncGenerator<SourceItem>;
  /** `descriptor` is the one that listed the item, with its credentials. */
  fetch(item: SourceItem, options: FetchOptions & { descriptor: SourceDescriptor }): Promise<FetchedFile>;
  close(): Promise<void>;
}

interface SourcesDependencies {
  config: SourcesConfig;
  outgoing?: Outgoing;
}

export function openSources({ config, outgoing: given }: SourcesDependencies): Sources {
  const outgoing = given ?? createOutgoing({ settings: config.outgoing });
  const { sources } = config;
  const byType = {
    direct_link: createDirectLink({ outgoing }),
    drive_a: createDriveA({ outgoing, settings: sources.drive_a }),
    drive_b: createDriveB({ outgoing, settings: sources.drive_b }),
    portal: createPortal({ outgoing }),
    wiki: createWiki({ outgoing }),
  } as unknown as Record<SourceDescriptor['type'], Source>;
  return {
    list: (descriptor, options) => limited(byType[descriptor.type].list(descriptor, options), config.sources),
    fetch: (item, { descriptor, ...options }) => byType[descriptor.type].fetch(descriptor, item, options),
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
  for await (const item of items) {
    if (ids.has(item.id)) continue;
    if (ids.size >= most)
      throw new Unprocessable(`the source has more than ${most} documents (sources.max_items)`);
    ids.add(item.id);
    const name = distinctName(cleanName(item.name), item.id, names);
    names.add(name.toLowerCase());
    yield { ...item, name };
  }
}
