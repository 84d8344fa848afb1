interface TailUsage {
  promptTokens: number;
  completionTokens: number;
}

const kept = 16 * 1024;

/** Remembers the end of an answer, where servers say what it cost. */
export function readTail() {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk: Buffer): void {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= 2 * kept) return;
      const end = Buffer.concat(chunks).subarray(-kept);
      chunks = [end];
      size = end.length;
    },
    usage: (): TailUsage => usageIn(Buffer.concat(chunks).toString('utf8')),
  };
}

/** The last counts in a text that ends an answer, whole or streamed. */
export function usageIn(text: string): TailUsage {
  const last = (field: string) =>
    Number([...text.matchAll(new RegExp(`"${field}"\\s*:\\s*(\\d+)`, 'g'))].at(-1)?.[1] ?? 0);
  return { promptTokens: last('prompt_tokens'), completionTokens: last('completion_tokens') };
}
