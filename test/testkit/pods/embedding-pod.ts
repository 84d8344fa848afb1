import { answerJson, type MockPod, type ReceivedRequest, startMockPod } from './mock-pod.ts';

/** A vector by which texts with common words are similar. */
export function wordVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7;
    for (const character of word.slice(0, 5)) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
  }
  return vector;
}

export const inputsOf = (request: ReceivedRequest): string[] =>
  request.path === '/v1/embeddings' ? JSON.parse(request.body.toString()).input : [];

/** A pod that embeds by counting words: texts are similar where they share words. */
export function startEmbeddingPod(dimensions = 64): Promise<MockPod> {
  return startMockPod((request, response) => {
    const data = inputsOf(request).map((text, index) => ({
      index,
      object: 'embedding',
      embedding: wordVector(text, dimensions),
    }));
    answerJson({ object: 'list', data, usage: { prompt_tokens: 1, total_tokens: 1 } })(request, response);
  });
}
