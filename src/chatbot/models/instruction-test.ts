import type { Inference } from '../../platform/inference/inference.ts';
import type { CallOptions } from '../../platform/inference/sending/call-options.ts';

interface Task {
  passages: [string, string];
  question: string;
  /** What the answer contains. The facts are invented: a model can't know them. */
  fact: RegExp;
  cites: 1 | 2;
}

const longest = 300;

const tasks: Task[] = [
  {
    passages: ['The Zorbel museum opens at 9:40.', 'The Zorbel library closes at 18:15.'],
    question: 'When does the Zorbel library close?',
    fact: /18[:.]15/u,
    cites: 2,
  },
  {
    passages: ['Директор завода «Мурлак» — Пётр Ковшин.', 'На заводе «Мурлак» работают 417 человек.'],
    question: 'Кто директор завода «Мурлак»?',
    fact: /Ковшин/u,
    cites: 1,
  },
];

/** Whether a model can answer from passages and cite the right one: a test of two short questions. */
export async function followsInstructions(
  inference: Pick<Inference, 'chat'>,
  model: string,
  options: CallOptions,
): Promise<boolean> {
  const passed = await Promise.all(tasks.map((task) => passes(inference, model, task, options)));
  return passed.every(Boolean);
}

async function passes(
  inference: Pick<Inference, 'chat'>,
  model: string,
  { passages, question, fact, cites }: Task,
  options: CallOptions,
): Promise<boolean> {
  const system =
    'Answer the question in one short sentence, using only the passages. End the sentence with the number of the passage that you used, in square brackets, such as [3].';
  const content = `Passages:\n[1] ${passages[0]}\n[2] ${passages[1]}\n\nQuestion: ${question}`;
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content },
  ] as const;
  // Enough for a model that thinks aloud first.
  const input = { model, messages, temperature: 0, max_completion_tokens: 400 };
  let text = '';
  for await (const event of inference.chat(input, options)) {
    if (event.type === 'text') text += event.text;
    // Small models talk on without end.
    if (text.length > longest && !isThinking(text)) break;
  }
  const said = text.replace(/^\s*<think>.*?(?:<\/think>|$)/su, '');
  const cited = new Set(said.match(/\[\d+\]/g));
  return said.length <= longest && fact.test(said) && cited.size === 1 && cited.has(`[${cites}]`);
}

const isThinking = (text: string) => /^\s*<think>/u.test(text) && !text.includes('</think>');
