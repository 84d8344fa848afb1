import type { Citation } from '../../contracts/document-index/questions.ts';
import { citeAnswer, type FindTranslated } from '../citing/cite-answer.ts';
import { isTooLong, type ModelCall } from '../models/model-call.ts';
import type { PromptParts } from './build-prompt.ts';
import { fitPrompt } from './fit-prompt.ts';
import { ModelText } from './model-text.ts';

export interface WrittenAnswer {
  text: string;
  citations: Citation[];
  questions: string[];
}

interface WritingDependencies {
  call: ModelCall;
  answerTokens: number;
  findTranslated?: FindTranslated | undefined;
}

/** For models that don't say how much fits. */
const assumedContext = 4_096;
const margin = 32;

/** Lets the model answer, and yields its text as it comes. Undefined where nothing of it stands in the passages. */
export async function* writeAnswer(
  { call, answerTokens, findTranslated }: WritingDependencies,
  parts: PromptParts,
): AsyncGenerator<string, WrittenAnswer | undefined> {
  const context = call.model.contextLength ?? assumedContext;
  const most = Math.min(answerTokens, Math.floor(context / 4));
  let room = context - most - margin;
  for (;;) {
    const fitted = await fitPrompt(parts, { room, count: (messages) => call.count(messages) });
    if (!fitted) return undefined;
    const text = new ModelText();
    try {
      for await (const piece of call.write(fitted.messages, most)) {
        const fresh = text.add(piece);
        if (fresh !== '') yield fresh;
        if (text.isLooping) break;
      }
    } catch (error) {
      if (!isTooLong(error) || room < 256) throw error;
      room = Math.floor(room / 2);
      continue;
    }
    const cited = await citeAnswer(text.answer, fitted.passages, findTranslated);
    return cited.citations.length === 0 ? undefined : { ...cited, questions: text.questions };
  }
}
