/** The slots that the built-in names stand for. */
export type ServiceSlot = 'chat' | 'embeddings' | 'rerank';

/** What the slots serve: the base model first, then its adapters. */
export interface ServedSlots {
  names(slot: ServiceSlot): readonly string[];
  onChange(listener: () => void): void;
}

/** Configured names come first. A name whose slot is empty is left out: calling it says that it was not found. */
export function serviceAliases(
  slots: Pick<ServedSlots, 'names'>,
  configured: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const first = (slot: ServiceSlot) => slots.names(slot)[0];
  const builtIn: [string, string | undefined][] = [
    ['Service-LLM', first('chat')],
    ['Service-Embedding', first('embeddings')],
    // An embeddings model ranks, too: by the similarity of vectors.
    ['Service-ReRank', first('rerank') ?? first('embeddings')],
  ];
  const served = builtIn.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new Map([...served, ...Object.entries(configured)]);
}
