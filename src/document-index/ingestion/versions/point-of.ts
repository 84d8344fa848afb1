import { fromJson } from '../../../platform/database/json-column.ts';
import type { Point, TermCounts } from '../../../platform/vectors/vector-store.ts';
import type { StoredChunk } from '../chunks-store.ts';
import type { EmbeddedChunk } from '../embedding/embed-chunks.ts';
import { indexedText } from '../embedding/indexed-text.ts';
import type { StoredVersion } from './versions-store.ts';

/** A chunk as the vector store gets it. */
export function pointOf(
  termsOf: (text: string) => TermCounts,
  { name, title }: Pick<StoredVersion, 'name' | 'title'>,
  { chunk, vector, sentences }: EmbeddedChunk<StoredChunk>,
): Point {
  return {
    id: chunk.id,
    group: chunk.document,
    vector,
    ...(sentences.length > 0 && { sentences }),
    terms: termsOf(indexedText(chunk)),
    payload: {
      document: name,
      title,
      page: chunk.page,
      position: chunk.position,
      headings: fromJson<string[]>(chunk.headings_json),
      language: chunk.language,
      text: chunk.text,
    },
  };
}
