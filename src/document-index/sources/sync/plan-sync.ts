import type { SourceItem } from '../source.ts';

/** A document that a bot has from a source. */
export interface KnownDocument {
  id: number;
  name: string;
  sourceId: string;
  version: string | null;
  /** Ids of the containers that it was listed in; null where they are not known. */
  containers: readonly string[] | null;
}

export interface SyncPlan {
  add: SourceItem[];
  /** Changed, or possibly changed: the source has no versions, so the content decides. */
  update: { item: SourceItem; document: KnownDocument }[];
  /** Only renamed at the source. */
  rename: { item: SourceItem; document: KnownDocument }[];
  remove: KnownDocument[];
  keep: KnownDocument[];
  /** What can't be fetched now. Versions that the bot has of it stay. */
  problems: SourceItem[];
}

/**
 * What a sync of one source does. `listed` is null where the source could not be listed to its end: then nothing is
 * known to be gone, and nothing is removed. The same holds for each of its parts.
 */
export function planSync(listed: readonly SourceItem[] | null, known: readonly KnownDocument[]): SyncPlan {
  const plan: SyncPlan = { add: [], update: [], rename: [], remove: [], keep: [], problems: [] };
  if (listed === null) return { ...plan, keep: [...known] };
  const documents = new Map(known.map((document) => [document.sourceId, document]));
  for (const item of listed) {
    const document = documents.get(item.id);
    documents.delete(item.id);
    if (item.problem !== undefined) {
      plan.problems.push(item);
      if (document) (item.gone ? plan.remove : plan.keep).push(document);
    } else if (!document) plan.add.push(item);
    else if (item.version === null || item.version !== document.version) plan.update.push({ item, document });
    else if (item.name !== document.name) plan.rename.push({ item, document });
    else plan.keep.push(document);
  }
  const stays = underUnlisted(listed);
  for (const document of documents.values()) (stays(document) ? plan.keep : plan.remove).push(document);
  return plan;
}

/** Whether a document that was not listed may still be there, since one of its containers could not be listed. */
export function underUnlisted(
  listed: Iterable<SourceItem>,
): (document: Pick<KnownDocument, 'containers'>) => boolean {
  const parts = new Set([...listed].filter(({ unlisted }) => unlisted).map(({ id }) => id));
  return ({ containers }) =>
    parts.size > 0 && (containers === null || containers.some((container) => parts.has(container)));
}
