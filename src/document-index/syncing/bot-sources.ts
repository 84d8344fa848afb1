import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { shownUrl } from '../commands/new-documents.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import type { StoredSource } from '../tables.ts';

type Secrets = Pick<IndexDependencies, 'secrets'>;

const purpose = (bot: string) => `sources of bot ${bot}`;

/** What a bot keeps of its sources. Two descriptors of the same address are one source, with the later credentials. */
export function sealedRows(
  { secrets }: Secrets,
  bot: string,
  sources: readonly SourceDescriptor[],
  now: number,
): Pick<StoredSource, 'bot' | 'type' | 'url' | 'sealed' | 'created_at'>[] {
  return sources.map((descriptor) => ({
    bot,
    type: descriptor.type,
    url: shownUrl(descriptor.url),
    sealed: secrets.seal(JSON.stringify(descriptor), purpose(bot)).toString('base64'),
    created_at: now,
  }));
}

/** Undefined where the source was stored under another secret key. */
export function openSource(
  { secrets }: Secrets,
  { bot, sealed }: Pick<StoredSource, 'bot' | 'sealed'>,
): SourceDescriptor | undefined {
  const text = secrets.open(Buffer.from(sealed, 'base64'), purpose(bot));
  return text === undefined ? undefined : (JSON.parse(text) as SourceDescriptor);
}
