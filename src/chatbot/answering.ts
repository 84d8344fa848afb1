import type { Answering } from '../contracts/answering.ts';
import type { AnswerDependencies } from './answers/answer-question.ts';
import type { KeptAnswers } from './feedback/kept-answers.ts';
import type { LinkSigner } from './files/link-signer.ts';

interface AnsweringDependencies extends AnswerDependencies {
  kept: KeptAnswers;
  signer: LinkSigner;
}

/** Answers questions, keeps the answers for feedback where asked to, and signs the links of their citations. */
export function createAnswering({ kept: keptAnswers, signer, ...deps }: AnsweringDependencies): Answering {
  // An answer that can't be kept, because the disk is full, is given all the same.
  const keep = (...answer: Parameters<KeptAnswers['keep']>) =>
    keptAnswers.keep(...answer).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'an answer could not be kept for feedback');
      return undefined;
    });
  return {
    async *answer(bot, input, options) {
      // Most of the room's code is behind it, and a platform without bots never needs it.
      const { answerQuestion } = await import('./answers/answer-question.ts');
      const ticket = keptAnswers.begin(bot);
      try {
        for await (const event of answerQuestion(deps, bot, input, options)) {
          if (event.type !== 'answer') {
            yield event;
            continue;
          }
          const { answer, passages, isWritten } = event;
          const id = options.keep ? await keep(ticket, { input, answer, passages, isWritten }) : undefined;
          const sign = (uri: string) => (options.links === 'signed' ? signer.sign(uri) : uri);
          const documents = answer.documents.map((it) => ({ ...it, uri: sign(it.uri) }));
          yield { type: 'answer', answer: { ...(id === undefined ? {} : { id }), ...answer, documents } };
        }
      } finally {
        keptAnswers.end(ticket);
      }
    },
  };
}
