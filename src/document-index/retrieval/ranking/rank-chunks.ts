import type { ScoredChunk } from '../passages/join-neighbours.ts';
import type { FoundChunk } from '../passages/passages-store.ts';
import { positionOnScale } from '../similarity/scale-model.ts';
import type { Calibration, Evidence } from './calibration.ts';
import { type Judgement, judgeAnswerable } from './judge-answerable.ts';
import { type Candidate, type RankingWeights, rankCandidates } from './rank-candidates.ts';

/** What was found for a question. */
export interface Gathered {
  /** The language of the question, ISO 639-3. */
  language: string;
  chunks: FoundChunk[];
  /** The question, then other formulations of it, each with one candidate per chunk. */
  formulations: { text: string; candidates: Candidate[] }[];
}

/** The best of another formulation against the best of the question: it may miss the point of it. */
const otherFormulation = 0.95;
const nothing: Judgement = { confidence: 0, answerable: false };

/** Scores every chunk by the formulation that it fits best, and judges whether the best one answers. */
export function rankChunks(
  { chunks, formulations, language }: Gathered,
  calibration: Calibration,
): { ranked: ScoredChunk[]; judgement: Judgement } {
  const best = chunks.map((chunk) => ({ chunk, score: 0 }));
  let judgement = nothing;
  let highest = 0;
  for (const [at, { candidates }] of formulations.entries()) {
    const scores = scoresOf(candidates, calibration.ranking);
    const own = Math.max(...scores);
    if (at === 0) highest = own;
    // A part of a question has fewer words, of which a passage easily contains all.
    const factor = at === 0 ? 1 : otherFormulation * (highest > 0 && own > highest ? highest / own : 1);
    for (const [index, scored] of best.entries()) {
      scored.score = Math.max(scored.score, (scores[index] ?? 0) * factor);
    }
    const evidence = bestEvidence({ chunks, candidates, language }, scores);
    if (!evidence) continue;
    const judged = judgeAnswerable(evidence, calibration);
    if (judged.confidence > judgement.confidence) judgement = judged;
  }
  return { ranked: best.sort((a, b) => b.score - a.score || a.chunk.id - b.chunk.id), judgement };
}

/** One score per candidate. */
export function scoresOf(candidates: readonly Candidate[], weights: RankingWeights): number[] {
  return rankCandidates(candidates, weightsFor(candidates, weights));
}

/** Without vectors the lexical parts share the whole weight. */
function weightsFor(candidates: readonly Candidate[], weights: RankingWeights): RankingWeights {
  if (candidates.some(({ hit }) => hit?.dense != null)) return weights;
  const rest = weights.lexical + weights.coverage + weights.sentenceCoverage + weights.window;
  return {
    lexical: weights.lexical / rest,
    dense: 0,
    sentence: 0,
    coverage: weights.coverage / rest,
    sentenceCoverage: weights.sentenceCoverage / rest,
    window: weights.window / rest,
  };
}

/** Beyond these ends of the scale a similarity says no more. */
const [lowestPlace, highestPlace] = [-1, 2];

/** What speaks for the candidate with the highest score. */
export function bestEvidence(
  {
    chunks,
    candidates,
    language,
  }: {
    chunks: readonly Pick<FoundChunk, 'language'>[];
    candidates: readonly Candidate[];
    language: string;
  },
  scores: readonly number[],
): Evidence | null {
  const top = scores.indexOf(Math.max(...scores));
  const candidate = candidates[top];
  const chunk = chunks[top];
  return candidate && chunk ? evidenceOf(candidate, chunk, language) : null;
}

function evidenceOf(
  { hit, coverage, scale }: Candidate,
  chunk: Pick<FoundChunk, 'language'>,
  language: string,
): Evidence {
  const place = (cosine: number | null | undefined) => {
    const position = cosine == null || scale === null ? null : positionOnScale(cosine, scale);
    return position === null ? null : Math.min(highestPlace, Math.max(lowestPlace, position));
  };
  return {
    coverage: coverage.text,
    sentenceCoverage: coverage.sentence,
    window: coverage.window,
    dense: place(hit?.dense),
    sentence: place(hit?.sentence),
    fit: coverage.fit ?? null,
    language,
    sameLanguage: chunk.language === null || language === 'und' || chunk.language === language,
  };
}
