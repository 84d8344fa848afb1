import type { BotQuery } from '../../contracts/retrieval.ts';
import type { Session } from '../../platform/database/database.ts';
import type { Hit, VectorStore } from '../../platform/vectors/vector-store.ts';
import { queryTerms, questionWords, translatableWords } from '../analysis/terms.ts';
import type { BotRow } from '../tables.ts';
import { chunksById, type FoundChunk, hiddenVersions } from './passages/passages-store.ts';
import { formulations, questionLanguage } from './questions.ts';
import { type FusionWeights, fuseHits } from './ranking/fuse-hits.ts';
import type { Candidate } from './ranking/rank-candidates.ts';
import type { Gathered } from './ranking/rank-chunks.ts';
import { coverWords } from './ranking/term-coverage.ts';
import { embedTexts, type QuestionEmbedding } from './similarity/embed-texts.ts';
import type { ModelScales } from './similarity/scale-model.ts';
import type { TranslateInput, Translations } from './similarity/translate-words.ts';

export interface GatherDependencies extends QuestionEmbedding {
  database: Session;
  vectors: Pick<VectorStore, 'search' | 'count'>;
  /** Languages that an embeddings model knows, ISO 639-3; null if that is not known. */
  knownLanguages(model: string): Promise<readonly string[] | null> | readonly string[] | null;
  /** From `openModelScales`. */
  modelScales(model: string, call: BotQuery): Promise<ModelScales | null>;
  /** From `openTranslator`. */
  translate(input: TranslateInput, call: BotQuery): Promise<Translations | null>;
}

/** Hits per side and formulation. */
const hitsPerSide = 50;
/** Chunks whose text is read to rank them. */
const fewestCandidates = 30;
/** Chunks in another language whose words are compared with those of the question. */
const mostTranslated = 10;
const bothSides: FusionWeights = { lexical: 0.5, dense: 0.25, sentence: 0.25 };
const lexicalOnly: FusionWeights = { lexical: 1, dense: 0, sentence: 0 };

/** Searches for a question in all its formulations and reads the chunks that may answer it. */
export async function gatherCandidates(
  deps: GatherDependencies,
  { bot, query }: { bot: BotRow; query: BotQuery },
): Promise<Gathered> {
  const language = questionLanguage(query.question);
  const questions = formulations(query.question, query.variants);
  const embedded = await embedQuestions(deps, bot, questions, language, query);
  const hidden = await hiddenVersions(deps.database, bot.id);
  const searches = await Promise.all(
    questions.map(async (text, at) => {
      const search = { vector: embedded?.vectors[at], terms: queryTerms(text), limit: hitsPerSide, hidden };
      const hits = await deps.vectors.search(bot.collection, search, query.signal);
      return { text, hits, fused: fuseHits(hits, embedded ? bothSides : lexicalOnly) };
    }),
  );
  const wanted = Math.max(fewestCandidates, bot.retrive_n);
  const ids = new Set(searches.flatMap(({ fused }) => fused.slice(0, wanted).map(({ hit }) => hit.id)));
  const chunks = await chunksById(deps.database, bot.id, [...ids]);
  const translations =
    embedded && (await translated(deps, { ...embedded, language, questions, chunks, ids }, query));
  const scaleOf = ({ language: own }: FoundChunk) => embedded?.scales?.(language, own ?? language) ?? null;
  return {
    language,
    chunks,
    formulations: searches.map(({ text, hits }) => ({
      text,
      candidates: candidatesOf(chunks, text, hits, scaleOf, translations),
    })),
  };
}

function candidatesOf(
  chunks: readonly FoundChunk[],
  question: string,
  hits: readonly Hit[],
  scaleOf: (chunk: FoundChunk) => Candidate['scale'],
  translations: Translations | null,
): Candidate[] {
  const byId = new Map(hits.map((hit) => [hit.id, hit]));
  const words = translations ? translatableWords(question) : questionWords(question);
  const coverages = coverWords(words, chunks, translations);
  return chunks.map((chunk, at) => ({
    hit: byId.get(chunk.id) ?? null,
    coverage: coverages[at] ?? { text: 0, sentence: 0, window: 0 },
    scale: scaleOf(chunk),
  }));
}

/** Words of the question in the language of the best chunks, where that is another one. */
async function translated(
  deps: GatherDependencies,
  found: Embedded & { language: string; questions: string[]; chunks: FoundChunk[]; ids: Iterable<number> },
  query: BotQuery,
): Promise<Translations | null> {
  const { model, languages, language, questions, chunks, ids } = found;
  if (language === 'und') return null;
  const isForeign = ({ language: own }: FoundChunk) =>
    own !== null && own !== language && (languages === null || languages.includes(own));
  const foreign = new Map(chunks.filter(isForeign).map((chunk) => [chunk.id, chunk]));
  const best = [...ids].flatMap((id) => foreign.get(id) ?? []).slice(0, mostTranslated);
  if (best.length === 0) return null;
  const texts = best.flatMap(({ context, text }) => [context, text]);
  return deps.translate({ model, words: questions.flatMap(translatableWords), texts }, query);
}

interface Embedded {
  model: string;
  /** Those that the model knows; null if that is not known. */
  languages: readonly string[] | null;
  vectors: Float32Array[];
  scales: ModelScales | null;
}

/** Null if the bot has no vectors, the model is away, or it does not know the question's language. */
async function embedQuestions(
  deps: GatherDependencies,
  bot: BotRow,
  questions: readonly string[],
  language: string,
  query: BotQuery,
): Promise<Embedded | null> {
  const model = bot.embeddings_model;
  if (model === null || questions.length === 0) return null;
  const languages = await deps.knownLanguages(model);
  if (languages && language !== 'und' && !languages.includes(language)) return null;
  const to = { model, dimensions: bot.dimensions, purpose: 'query' as const };
  const vectors = await embedTexts(deps, questions, to, query);
  return vectors && { model, languages, vectors, scales: await deps.modelScales(model, query) };
}
