import { sentences } from '../../../documents/text/sentences.ts';
import { indexedText } from './indexed-text.ts';

export interface EmbeddableChunk {
  position: number;
  kind: 'text' | 'table';
  context: string;
  text: string;
}

/** Shorter ones, such as list markers and numbers, are found by chance. */
const shortestSentence = 25;
const mostSentences = 24;

/** The texts of a chunk that get vectors: the chunk with its context, then its sentences where they are wanted. */
export function embeddableTexts(chunk: EmbeddableChunk, withSentences: boolean): string[] {
  const whole = indexedText(chunk);
  if (!withSentences || chunk.kind === 'table') return [whole];
  const parts = sentences(chunk.text)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= shortestSentence);
  // A chunk of one sentence is already embedded as a whole.
  return parts.length < 2 ? [whole] : [whole, ...parts.slice(0, mostSentences)];
}
