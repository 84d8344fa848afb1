import type { Passage } from '../../../contracts/retrieval.ts';
import { type ChunkRun, joinTexts } from './join-neighbours.ts';
import { hasPageAnchors } from './page-anchors.ts';

/** A run of chunks as a passage that can be cited. */
export function passageOf(
  bot: string,
  { chunks, score }: ChunkRun,
  documentUri: (bot: string, name: string) => string,
): Passage {
  const rows = chunks.map(({ chunk }) => chunk);
  const [first] = rows;
  const best = chunks.reduce((one, other) => (other.score > one.score ? other : one));
  if (!first) throw new Error('A passage has at least one chunk.');
  const { name, title, url, type, pages } = first.document;
  return {
    id: best.chunk.id,
    document: {
      name,
      title: title ?? name,
      uri: url ?? documentUri(bot, name),
      type: type ?? 'application/octet-stream',
      pages,
      pageAnchors: hasPageAnchors(first.document),
    },
    ...joinTexts(rows),
    headings: first.headings,
    page: first.page,
    language: best.chunk.language,
    score,
  };
}
