export interface BatchLimits {
  /** Texts per batch, at most. */
  texts: number;
  /** Characters per batch, at most. A text that is longer by itself makes a batch of its own. */
  characters: number;
}

export interface Batch {
  /** The place of its first text among all. */
  start: number;
  texts: string[];
}

/** Puts texts together in batches, in their order. It takes no text before it is asked for a batch. */
export async function* batches(
  source: Iterable<string> | AsyncIterable<string>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  let [start, texts, characters] = [0, [] as string[], 0];
  for await (const text of source) {
    const full = texts.length >= limits.texts || characters + text.length > limits.characters;
    if (full && texts.length > 0) {
      yield { start, texts };
      [start, texts, characters] = [start + texts.length, [], 0];
    }
    texts.push(text);
    characters += text.length;
  }
  if (texts.length > 0) yield { start, texts };
}
