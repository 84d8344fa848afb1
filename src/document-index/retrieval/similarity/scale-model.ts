import type { CallOptions } from '../../../platform/inference/sending/call-options.ts';
import { embedTexts, type QuestionEmbedding } from './embed-texts.ts';
import { samples } from './scale-samples.ts';

/** What a model's cosine similarities mean: those of unrelated texts, and of a question and its answer. */
export interface SimilarityScale {
  unrelated: number;
  related: number;
}

/** By the language of the question, then of the text. Languages without samples use English ones. */
export type ModelScales = (question: string, text: string) => SimilarityScale;

type Call = Pick<CallOptions, 'credentials' | 'signal' | 'requestId'>;

/**
 * Measures models on a few questions whose answers are known, once each: what is close for one model is far for another.
 * Null if the model can't be called now.
 */
export function openModelScales(
  deps: QuestionEmbedding,
): (model: string, call: Call) => Promise<ModelScales | null> {
  const known = new Map<string, ModelScales>();
  return async (model, call) => {
    const present = known.get(model);
    if (present) return present;
    const measured = await measure(deps, model, call);
    if (measured) known.set(model, measured);
    return measured;
  };
}

async function measure(deps: QuestionEmbedding, model: string, call: Call): Promise<ModelScales | null> {
  const languages = [...samples.keys()];
  const texts = (side: 'question' | 'answer') =>
    languages.flatMap((language) => (samples.get(language) ?? []).map((sample) => sample[side]));
  const to = { model, dimensions: null };
  const questions = await embedTexts(deps, texts('question'), { ...to, purpose: 'query' }, call);
  const answers = await embedTexts(deps, texts('answer'), { ...to, purpose: 'document' }, call);
  if (!questions || !answers) return null;
  const size = questions.length / languages.length;
  const slice = (vectors: Float32Array[], language: string) => {
    const at = Math.max(0, languages.indexOf(language));
    return vectors.slice(at * size, (at + 1) * size);
  };
  const known = new Map<string, SimilarityScale>();
  return (question, text) => {
    const key = `${languages.indexOf(question)} ${languages.indexOf(text)}`;
    const scale = known.get(key) ?? scaleOf(slice(questions, question), slice(answers, text));
    known.set(key, scale);
    return scale;
  };
}

/** The means over the pairs of the same place, and over all others. */
export function scaleOf(
  questions: readonly Float32Array[],
  answers: readonly Float32Array[],
): SimilarityScale {
  let related = 0;
  let unrelated = 0;
  for (const [row, question] of questions.entries()) {
    for (const [column, answer] of answers.entries()) {
      const similarity = cosine(question, answer);
      if (row === column) related += similarity / questions.length;
      else unrelated += similarity / (questions.length * (questions.length - 1));
    }
  }
  return { unrelated, related };
}

/** Of two vectors of length 1; 0 if one is missing. */
export function cosine(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** A model that hardly tells related from unrelated texts does not know the languages. */
const smallestWidth = 0.04;

/** Where a cosine stands: 0 like unrelated texts, 1 like a question and its answer. Null if that can't be told. */
export function positionOnScale(cosine: number, { unrelated, related }: SimilarityScale): number | null {
  const width = related - unrelated;
  return width < smallestWidth ? null : (cosine - unrelated) / width;
}
