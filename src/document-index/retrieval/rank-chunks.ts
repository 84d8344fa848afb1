import type { Calibration, Evidence } from './calibration.ts';
import type { Gathered } from './gather-candidates.ts';
import type { ScoredChunk } from './join-neighbours.ts';
import { type Judgement, judgeAnswerable } from './judge-answerable.ts';
import type { FoundChunk } from './passages-store.ts';
import { type Candidate, type RankingWeights, rankCandidates } from './rank-candidates.ts';
import { type ModelScales, placeOnScale } from './scale-model.ts';

/** Other formulations may miss the point of the question. */
const otherFormulation = 0.95;
const nothing: Judgement = { confidence: 0, answerable: false };

/** Scores every chunk by the formulation that it fits best, and judges whether the best one answers. */
export function rankChunks(
  { chunks, formulations, language, scales }: Gathered,
  calibration: Calibration,
): { ranked: ScoredChunk[]; judgement: Judgement } {
  const best = chunks.map((chunk) => ({ chunk, score: 0 }));
  let judgement = nothing;
  for (const [at, { candidates }] of formulations.entries()) {
    const scores = rankCandidates(candidates, weightsFor(candidates, calibration.ranking));
    for (const [index, scored] of best.entries()) {
      scored.score = Math.max(scored.score, (scores[index] ?? 0) * (at === 0 ? 1 : otherFormulation));
    }
    const top = scores.indexOf(Math.max(...scores));
    const candidate = candidates[top];
    const chunk = chunks[top];
    if (!candidate || !chunk) continue;
    const judged = judgeAnswerable(evidenceOf(candidate, chunk, language, scales), calibration);
    if (judged.confidence > judgement.confidence) judgement = judged;
  }
  return { ranked: best.sort((a, b) => b.score - a.score || a.chunk.id - b.chunk.id), judgement };
}

/** Without vectors the lexical parts share the whole weight. */
function weightsFor(candidates: readonly Candidate[], weights: RankingWeights): RankingWeights {
  if (candidates.some(({ hit }) => hit?.dense != null)) return weights;
  const rest = weights.lexical + weights.coverage + weights.sentenceCoverage;
  return {
    lexical: weights.lexical / rest,
    dense: 0,
    sentence: 0,
    coverage: weights.coverage / rest,
    sentenceCoverage: weights.sentenceCoverage / rest,
  };
}

export function evidenceOf(
  { hit, coverage }: Candidate,
  chunk: Pick<FoundChunk, 'language'>,
  language: string,
  scales: ModelScales | null,
): Evidence {
  const scale = scales?.(language, chunk.language ?? language);
  const place = (cosine: number | null | undefined) =>
    cosine == null || !scale ? null : placeOnScale(cosine, scale);
  return {
    coverage: coverage.text,
    sentenceCoverage: coverage.sentence,
    dense: place(hit?.dense),
    sentence: place(hit?.sentence),
    language,
    sameLanguage: chunk.language === null || language === 'und' || chunk.language === language,
  };
}
