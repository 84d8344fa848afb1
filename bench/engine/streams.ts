import type { GenerationRequest, LanguageEngine } from '../../src/pod/engine.ts';

export interface StreamsResult {
  /** Generated tokens per second of all streams together, from the first request to the last token. */
  tokensPerSecond: number;
  /** Milliseconds to the first text of each stream. */
  firstToken: number[];
  completionTokens: number;
}

/** A different prompt of about that many words for each stream, so that no stream uses another's cache. */
export function benchPrompt(stream: number, words: number): GenerationRequest['prompt'] {
  const text = Array.from(
    { length: words },
    (_, index) => `${vocabulary[(index * 7 + stream * 13) % vocabulary.length]}`,
  );
  return { kind: 'chat', messages: [{ role: 'user', content: `${stream}: ${text.join(' ')}` }] };
}

const vocabulary =
  'river stone winter garden letter yellow window morning paper bridge silent engine harbour planet copper lantern'.split(
    ' ',
  );

/** Runs parallel streams on an engine in this process, each of `tokens` tokens. */
export async function runStreams(
  engine: LanguageEngine,
  options: { streams: number; tokens: number; promptWords?: number; round?: number },
): Promise<StreamsResult> {
  const began = performance.now();
  const firstToken: number[] = [];
  const counts = await Promise.all(
    Array.from({ length: options.streams }, async (_, stream) => {
      const request: GenerationRequest = {
        prompt: benchPrompt(stream + 100 * (options.round ?? 0), options.promptWords ?? 20),
        maxTokens: options.tokens,
        ignoreEos: true,
        sampling: { temperature: 0 },
      };
      let completionTokens = 0;
      let first = true;
      for await (const event of engine.generate(request, new AbortController().signal)) {
        if (event.kind === 'text' && first) {
          first = false;
          firstToken.push(performance.now() - began);
        }
        if (event.kind === 'end') completionTokens = event.usage.completionTokens;
      }
      return completionTokens;
    }),
  );
  const completionTokens = counts.reduce((total, count) => total + count, 0);
  return {
    tokensPerSecond: (completionTokens / (performance.now() - began)) * 1000,
    firstToken,
    completionTokens,
  };
}
