/** About thirty tokens of text: close to the unit that engines cache, and cheap to hash. */
const blockBytes = 128;
/** This much of a prompt is enough to choose a pod. */
const maxBlocks = 512;

/** Hashes of a prompt's blocks, two words per block. Each hash covers all preceding blocks too. */
export interface PrefixBlocks {
  readonly words: Uint32Array;
  count: number;
}

export function emptyPrefixBlocks(): PrefixBlocks {
  return { words: new Uint32Array(2 * maxBlocks), count: 0 };
}

/**
 * Hashes the prompt in the request's bytes, beginning at `start`, into `into`. Only whole blocks are hashed, because
 * the next turn of a conversation continues in the last one. `seed` separates models and adapters.
 */
export function hashPrefix(bytes: Uint8Array, start: number, seed: number, into: PrefixBlocks): void {
  const count = Math.min(maxBlocks, Math.floor((bytes.length - start) / blockBytes));
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

/** Hashes a model name, as the seed for its prompts' hashes. */
export function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash;
}
