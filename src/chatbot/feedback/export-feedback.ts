import type { FeedbackEntry } from '../../contracts/document-index/feedback.ts';

/** One line of an export; undefined where the answer was not rated above 0, and so teaches nothing. */
export function exportLine(entry: FeedbackEntry, format: 'messages' | 'questions'): string | undefined {
  if (entry.rating <= 0) return undefined;
  return `${JSON.stringify(format === 'messages' ? conversation(entry) : regressionQuestion(entry))}\n`;
}

/** As the management API takes data sets. Earlier answers are not kept, so that earlier questions come in one turn. */
function conversation({ question, earlier_questions, answer }: FeedbackEntry) {
  const asked = [...earlier_questions, question].join('\n');
  return {
    messages: [
      { role: 'user', content: asked },
      { role: 'assistant', content: withoutMarkers(answer) },
    ],
  };
}

/** A refusal that was right has no answer and no document. */
function regressionQuestion({ question, earlier_questions, answer, documents }: FeedbackEntry) {
  const [first] = documents;
  return {
    question: [...earlier_questions, question].join('\n'),
    answer: first ? withoutMarkers(answer) : null,
    document: first?.document ?? null,
    page: first?.page ?? null,
  };
}

const withoutMarkers = (answer: string) => answer.replaceAll(/\s*\[\d+\]/g, '').trim();
