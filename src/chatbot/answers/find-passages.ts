import type { AnswerInput } from '../../contracts/answering.ts';
import type { BotQuery, Found } from '../../contracts/retrieval.ts';
import type { ModelCall } from '../models/model-call.ts';
import { changesSubject, leansOnEarlier, standAlone } from './stand-alone.ts';

interface FindDependencies {
  search(query: Pick<BotQuery, 'question' | 'variants'>): Promise<Found>;
  /** Where a model writes the answers, it also rewrites questions. */
  writer: ModelCall | undefined;
}

interface FoundInConversation {
  /** The question as it was searched for: it stands alone. */
  standAlone: string;
  found: Found;
}

/**
 * Finds passages for a question within its conversation. Without a model that can tell, a question that does not lean on
 * earlier turns by its words is taken as it is, unless nothing is found for it: words of another subject would lead astray.
 */
export async function findPassages(
  { search, writer }: FindDependencies,
  { question, history = [] }: AnswerInput,
): Promise<FoundInConversation> {
  const own = async () => ({ standAlone: question, found: await search({ question }) });
  const triesAlone = writer === undefined && !leansOnEarlier(question);
  const alone = triesAlone ? await own() : undefined;
  if (alone?.found.answerable) return alone;
  const complete = await standAlone(question, history, writer);
  if (complete === question) return alone ?? own();
  const found = await search({ question: complete, variants: [question] });
  return changesSubject(question, found.passages) ? (alone ?? own()) : { standAlone: complete, found };
}
