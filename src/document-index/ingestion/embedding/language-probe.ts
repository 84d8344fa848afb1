import type { Inference } from '../../../platform/inference/inference.ts';
import { embeddingForm } from './model-prefixes.ts';
import { probePairs } from './probe-pairs.ts';
import { unitVector } from './unit-vector.ts';

export interface LanguageProbe {
  /**
   * How well an embeddings model knows each language that can be probed (ISO 639-3): the share of questions for which
   * it finds the right passage, 0 to 1. Throws if the model can't be called.
   */
  knownLanguages(model: string): Promise<ReadonlyMap<string, number>>;
  /** The languages that a model knows; null where it knows all that can be probed, or can't be called. */
  limitedTo(model: string): Promise<readonly string[] | null>;
}

/** A model that does worse does not understand the language; by chance it would be 0.06. */
const knowsFrom = 0.6;
const timeout = 60_000;

/** Asks a model once, and remembers the result while the process runs. */
export function openLanguageProbe({ inference }: { inference: Pick<Inference, 'embed'> }): LanguageProbe {
  const results = new Map<string, Promise<ReadonlyMap<string, number>>>();
  const knownLanguages: LanguageProbe['knownLanguages'] = (model) => {
    const present = results.get(model);
    if (present) return present;
    const probing = probe(inference, model);
    results.set(model, probing);
    probing.catch(() => results.delete(model));
    return probing;
  };
  return {
    knownLanguages,
    async limitedTo(model) {
      const known = await knownLanguages(model).catch(() => null);
      const spoken = [...(known ?? [])]
        .filter(([, share]) => share >= knowsFrom)
        .map(([language]) => language);
      return known && spoken.length < known.size ? spoken : null;
    },
  };
}

async function probe(
  inference: Pick<Inference, 'embed'>,
  model: string,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  for (const [language, pairs] of probePairs) {
    const questions = await vectorsOf(
      inference,
      model,
      'query',
      pairs.map(([question]) => question),
    );
    const passages = await vectorsOf(
      inference,
      model,
      'document',
      pairs.map(([, passage]) => passage),
    );
    const right = questions.filter((question, index) => nearest(question, passages) === index);
    known.set(language, right.length / pairs.length);
  }
  return known;
}

type Vector = Float32Array | null;

async function vectorsOf(
  inference: Pick<Inference, 'embed'>,
  model: string,
  use: 'query' | 'document',
  texts: readonly string[],
): Promise<Vector[]> {
  const { prefix, purpose } = embeddingForm(model, use);
  const signal = AbortSignal.timeout(timeout);
  const options = { model, credentials: 'platform' as const, signal, purpose };
  const found: Vector[] = [];
  for await (const { vectors } of inference.embed(
    texts.map((text) => prefix + text),
    options,
  )) {
    found.push(...vectors.map(unitVector));
  }
  return found;
}

/** The index of the most similar passage; -1 without any, or if several are equally similar. */
function nearest(question: Vector, passages: readonly Vector[]): number {
  let [best, most] = [-1, Number.NEGATIVE_INFINITY];
  for (const [index, passage] of passages.entries()) {
    const score = question && passage ? similarity(question, passage) : Number.NEGATIVE_INFINITY;
    if (score > most) [best, most] = [index, score];
    else if (score === most) best = -1;
  }
  return best;
}

const similarity = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });

/** What an operator should know about a bot's languages: those of its documents that its model does not know. */
export function languageNotes(
  model: string,
  known: ReadonlyMap<string, number>,
  languages: readonly string[],
): string[] {
  return languages
    .filter((language) => (known.get(language) ?? 1) < knowsFrom)
    .map((language) => {
      const name = languageNames.of(language) ?? language;
      return `the embeddings model '${model}' does not know ${name}: ${name} text is found by words alone until a multilingual model is deployed`;
    });
}
