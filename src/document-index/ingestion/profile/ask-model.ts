import { Problem } from '../../../contracts/problems.ts';
import type { Inference } from '../../../platform/inference/inference.ts';
import type { BotOutline } from './bot-outline.ts';

/** A chat model that follows instructions. */
export interface Asking {
  inference: Pick<Inference, 'ask'>;
  model: string;
}

const timeout = 60_000;
const longestOutline = 6_000;

/** The answer of the model; undefined without one, and where it fails: nothing depends on it. */
export async function askModel(
  asking: Asking | undefined,
  content: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!asking) return undefined;
  const { inference, model } = asking;
  const input = {
    model,
    messages: [{ role: 'user' as const, content }],
    temperature: 0.3,
    max_completion_tokens: 500,
  };
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const { text } = await inference.ask(input, { credentials: 'platform', signal: limited, timeout });
    return text.replace(/<think>[\s\S]*?<\/think>/g, '').trim();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Problem || (error as Error).name === 'TimeoutError') return undefined;
    throw error;
  }
}

/** What the model is told about a bot, in the language of its documents. */
export function outlinePrompt({ userStory, language, documents }: BotOutline): string {
  const isRussian = language === 'rus';
  const list = documents
    .map(({ title, headings }) => `- ${title}: ${headings.slice(0, 12).join('; ')}`)
    .join('\n')
    .slice(0, longestOutline)
    .toWellFormed();
  const story = userStory.trim().slice(0, 2_000).toWellFormed();
  const about = isRussian ? 'Документы и их разделы' : 'Documents and their sections';
  const told = isRussian ? 'О читателях' : 'About the readers';
  return [...(story === '' ? [] : [`${told}: ${story}`]), `${about}:\n${list}`].join('\n\n');
}
