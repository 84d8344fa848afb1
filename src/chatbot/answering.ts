import type { Answering } from '../contracts/answering.ts';
import { type AnswerDependencies, answerQuestion } from './answers/answer-question.ts';
import type { KeptAnswers } from './feedback/kept-answers.ts';
import type { LinkSigner } from './files/link-signer.ts';

interface AnsweringDependencies extends AnswerDependencies {
  kept: KeptAnswers;
  signer: LinkSigner;
}

/** Answers questions, keeps the answers for feedback where asked to, and signs the links of their citations. */
export function createAnswering({ kept, signer, ...deps }: AnsweringDependencies): Answering {
  return {
    async *answer(bot, input, options) {
      const ticket = kept.begin(bot);
      try {
        for await (const event of answerQuestion(deps, bot, input, options)) {
          if (event.type !== 'answer') {
            yield event;
            continue;
          }
          const { answer, passages, isWritten } = event;
          const id = options.keep
            ? await kept.keep(ticket, { input, answer, passages, isWritten })
            : undefined;
          const sign = (uri: string) => (options.links === 'signed' ? signer.sign(uri) : uri);
          const documents = answer.documents.map((it) => ({ ...it, uri: sign(it.uri) }));
          yield { type: 'answer', answer: { ...(id === undefined ? {} : { id }), ...answer, documents } };
        }
      } finally {
        kept.end(ticket);
      }
    },
  };
}
