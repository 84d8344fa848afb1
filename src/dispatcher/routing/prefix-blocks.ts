/** A block is some thirty tokens of text: about what engines cache as a unit, and cheap to hash. */
const blockBytes = 128;
/** Beyond this much of a prompt, what comes before says enough about where it belongs. */
const mostBlocks = 512;

/** The hashes of a prompt's blocks, each over everything before it too: two words a block. */
export interface PrefixBlocks {
  readonly words: Uint32Array;
  count: number;
}

export function emptyPrefixBlocks(): PrefixBlocks {
  return { words: new Uint32Array(2 * mostBlocks), count: 0 };
}

/**
 * Hashes the prompt as it stands in the request's bytes, from `start` on, into `into`. Whole blocks only: the end of
 * the prompt is where the next turn of a conversation goes on. `seed` keeps adapters apart.
 */
export function hashPrefix(bytes: Uint8Array, start: number, seed: number, into: PrefixBlocks): void {
  const count = Math.min(mostBlocks, Math.floor((bytes.length - start) / blockBytes));
  const words = into.words;
  let low = seed | 0;
  let high = ~seed;
  let at = start;
  for (let block = 0; block < count; block++) {
    for (const end = at + blockBytes; at < end; at += 4) {
      const word =
        (bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24);
      low = Math.imul(low ^ word, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high + word, 0x85ebca6b);
      high = (high << 13) | (high >>> 19);
    }
    words[2 * block] = low;
    words[2 * block + 1] = high;
  }
  into.count = count;
}

/** A number for a name, as the seed of its prompts' hashes. */
export function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash;
}
