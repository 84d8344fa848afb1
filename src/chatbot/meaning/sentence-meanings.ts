import type { Inference } from '../../platform/inference/inference.ts';
import type { CallOptions } from '../../platform/inference/sending/call-options.ts';
import type { FindTranslated } from '../citing/cite-answer.ts';
import { textOf } from '../citing/sentences.ts';
import type { Reorder } from '../extracting/extract-answer.ts';
import type { Ranked } from '../extracting/rank-sentences.ts';
import type { UsedTokens } from '../models/used-tokens.ts';
import { type KnownLanguages, knownLanguages, knows } from './known-languages.ts';
import { similarity } from './similarity.ts';

/** Compares sentences by their meaning, for one question. */
export interface SentenceMeaning {
  reorder: Reorder;
  findTranslated: FindTranslated;
}

/** Embedding must not hold up an answer that can do without it. */
const patience = 4_000;
const compared = 16;
const weight = 0.5;
/** Also stands for the words that a sentence in another language can't share with the question. */
const foreignWeight = 1.1;
const leastTranslated = 0.55;
const mostSentences = 60;

/** Opens comparisons by meaning, where a model is deployed that knows the language. */
export class SentenceMeanings {
  readonly #inference: Pick<Inference, 'embed' | 'models'>;
  readonly #known = new Map<string, KnownLanguages>();

  constructor(inference: Pick<Inference, 'embed' | 'models'>) {
    this.#inference = inference;
  }

  async open(language: string, call: CallOptions, used: UsedTokens): Promise<SentenceMeaning | undefined> {
    const model = await this.#model(call);
    if (model === undefined) return undefined;
    const embed = (texts: string[]) => this.#embed(model, texts, call, used);
    const known = this.#known.get(model) ?? (await knownLanguages(embed));
    if (!known) return undefined;
    if (this.#known.size > 100) this.#known.clear();
    this.#known.set(model, known);
    return {
      reorder: async (question, ranked) => {
        if (!knows(known, language)) return ranked;
        const best = ranked.reduce<Ranked | undefined>(
          (one, other) => (one && one.passage.score >= other.passage.score ? one : other),
          undefined,
        );
        const isInOther = ({ passage }: Ranked) => passage.language !== null && passage.language !== language;
        // Where the best passage is in the language of the question, translations would only repeat it.
        const isForeign = (sentence: Ranked) =>
          known.across && best !== undefined && isInOther(best) && isInOther(sentence);
        // Sentences in another language share no words with the question, so that they rank last by words.
        const first = [
          ...new Set([...ranked.slice(0, compared), ...ranked.filter(isForeign).slice(0, compared)]),
        ];
        const vectors = await embed([question, ...first.map(textOf)]);
        if (!vectors) return ranked;
        const again = first.map((sentence, index) => ({
          ...sentence,
          fit:
            sentence.fit +
            (isForeign(sentence) ? foreignWeight : weight) * similarity(vectors[0], vectors[index + 1]),
        }));
        return again.sort((one, other) => other.fit - one.fit);
      },
      findTranslated: async (claim, sentences) => {
        if (!known.across || sentences.length === 0) return undefined;
        const first = sentences.slice(0, mostSentences);
        const vectors = await embed([claim, ...first.map(textOf)]);
        if (!vectors) return undefined;
        const scores = first.map((_, index) => similarity(vectors[0], vectors[index + 1]));
        const best = scores.indexOf(Math.max(...scores));
        return (scores[best] ?? 0) >= leastTranslated ? first[best] : undefined;
      },
    };
  }

  async #model(call: CallOptions): Promise<string | undefined> {
    try {
      const served = await this.#inference.models(call);
      return served.find(({ task, parent }) => task === 'embeddings' && parent === undefined)?.id;
    } catch {
      call.signal.throwIfAborted();
      return undefined;
    }
  }

  /** Undefined where the model does not answer in time. */
  async #embed(model: string, texts: string[], call: CallOptions, used: UsedTokens) {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(patience)]);
    const vectors: Float32Array[] = [];
    try {
      for await (const batch of this.#inference.embed(texts, { ...call, signal, model, retries: 0 })) {
        used.add(batch.usage);
        vectors.push(...batch.vectors);
      }
      return vectors;
    } catch {
      call.signal.throwIfAborted();
      return undefined;
    }
  }
}
