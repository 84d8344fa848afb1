import type { PassageSegment } from '../../../contracts/retrieval.ts';
import type { FoundChunk } from './passages-store.ts';

export interface ScoredChunk {
  chunk: FoundChunk;
  score: number;
}

/** Chunks of one document that follow each other, in order. */
export interface ChunkRun {
  chunks: ScoredChunk[];
  score: number;
}

const mostChunks = 4;
/** A neighbour that fits the question much worse than the passage would only lengthen it. */
const leastShare = 0.6;
const longestOverlap = 2_000;

/** The best chunks as at most `limit` runs, best first. A chunk beside one that was taken joins it. */
export function joinNeighbours(ranked: readonly ScoredChunk[], limit: number): ChunkRun[] {
  const runs: ChunkRun[] = [];
  for (const scored of ranked) {
    const beside = runs.filter(
      (run) => isBeside(run, scored.chunk) && scored.score >= leastShare * run.score,
    );
    const [first, second] = beside;
    if (!first) {
      if (runs.length < limit) runs.push({ chunks: [scored], score: scored.score });
      continue;
    }
    insert(first, scored);
    if (second && first.chunks.length + second.chunks.length <= mostChunks) {
      for (const other of second.chunks) insert(first, other);
      runs.splice(runs.indexOf(second), 1);
    }
  }
  return runs.sort((a, b) => b.score - a.score);
}

function isBeside({ chunks }: ChunkRun, { version, position }: FoundChunk): boolean {
  const first = chunks[0]?.chunk;
  const last = chunks.at(-1)?.chunk;
  if (!first || !last || first.version !== version || chunks.length >= mostChunks) return false;
  return position === first.position - 1 || position === last.position + 1;
}

function insert(run: ChunkRun, scored: ScoredChunk): void {
  run.chunks.push(scored);
  run.chunks.sort((a, b) => a.chunk.position - b.chunk.position);
  run.score = Math.max(run.score, scored.score);
}

export interface JoinedText {
  text: string;
  markdown: string;
  segments: PassageSegment[];
}

/** One text of chunks in their order. What the end of one and the beginning of the next share stands there once. */
export function joinTexts(chunks: readonly FoundChunk[]): JoinedText {
  const joined: JoinedText = { text: '', markdown: '', segments: [] };
  for (const [at, { text, markdown, segments }] of chunks.entries()) {
    const shown = markdown ?? text;
    if (at === 0) {
      Object.assign(joined, { text, markdown: shown, segments: [...segments] });
      continue;
    }
    const overlap = sharedLength(joined.text, text);
    const separator = overlap > 0 ? '' : '\n\n';
    const offset = joined.text.length + separator.length - overlap;
    for (const segment of segments) {
      const start = Math.max(segment.start, overlap);
      if (start >= segment.end) continue;
      joined.segments.push({ ...segment, start: start + offset, end: segment.end + offset });
    }
    joined.text += separator + text.slice(overlap);
    joined.markdown +=
      overlap > 0 && markdown === null && joined.markdown.endsWith(text.slice(0, overlap))
        ? shown.slice(overlap)
        : `\n\n${shown}`;
  }
  return joined;
}

/** The length of the longest end of `before` that `after` begins with. Short ones are a coincidence. */
function sharedLength(before: string, after: string): number {
  const longest = Math.min(before.length, after.length, longestOverlap);
  for (let length = longest; length >= shortestOverlap; length--) {
    if (before.endsWith(after.slice(0, length))) return length;
  }
  return 0;
}

const shortestOverlap = 12;
