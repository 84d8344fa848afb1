import type { Answer, Citation, Question } from '../../../contracts/document-index/questions.ts';
import { StartupError } from '../../../platform/startup-error.ts';
import type { PlatformTarget } from '../../server/find-platform.ts';
import { PlatformUnreachable } from '../../server/management-api.ts';
import { inWords } from '../../server/refusal.ts';
import { paths } from '../index-paths.ts';

export type BotEvent = { stage: string } | { text: string } | { answer: Answer };

/** The bot refused the question; the conversation can continue. */
export class BotRefused extends StartupError {}

/** Asks a bot and yields what happens, the whole answer last. */
export async function* askBot(
  { url, key }: PlatformTarget,
  bot: string,
  question: Pick<Question, 'question' | 'history'>,
  signal: AbortSignal,
): AsyncGenerator<BotEvent> {
  const response = await fetch(url + paths.question(bot), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body: JSON.stringify({ ...question, stream: true }),
    signal,
  }).catch((error: Error) => {
    if (signal.aborted) throw error;
    const cause = error.cause as { code?: string } | undefined;
    throw new PlatformUnreachable(url, cause?.code ?? error.message, error);
  });
  if (!response.ok || !response.body) throw new BotRefused(await refusalIn(response));
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield { answer: (await response.json()) as Answer };
    return;
  }
  let whole = false;
  for await (const { event, data } of eventsOf(response.body)) {
    const value = JSON.parse(data) as { stage?: string; text?: string; error?: string };
    if (event === 'stage') yield { stage: value.stage ?? '' };
    else if (event === 'delta') yield { text: value.text ?? '' };
    else if (event === 'error') throw new BotRefused(value.error ?? 'the answer failed');
    else if (event === 'answer') {
      whole = true;
      yield { answer: value as Answer };
    }
  }
  if (!whole) throw new BotRefused('the connection was lost in the middle of the answer');
}

/** The cited documents, numbered as in the text. */
export const citationLines = (citations: readonly Citation[]): string[] =>
  citations.map(({ title, page, uri, quote }, index) => {
    const place = page === null ? '' : `, page ${page}`;
    const words = quote.replace(/\s+/g, ' ').trim();
    const cut = words.length > 160 ? `${words.slice(0, 159)}…` : words;
    return `[${index + 1}] ${title}${place} (${placeOf(uri)})\n    “${cut}”`;
  });

/** The name of a stored file, which its address shows percent-encoded; the address of any other document. */
const placeOf = (uri: string) =>
  uri.startsWith('/documents/') ? decodeURIComponent(uri.replace(/[?#].*$/, '').replace(/^.*\//, '')) : uri;

/** What can be asked instead of a question that was refused. */
export const proposals = ({ documents, relevant_questions }: Answer): string[] =>
  documents.length > 0 ? [] : relevant_questions.map((question) => `- ${question}`);

async function refusalIn(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return inWords(error, response.status);
  } catch {
    // Not from this platform.
  }
  return `the platform answered ${response.status}`;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true }).replaceAll('\r\n', '\n');
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const field = (name: string) =>
        lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));
      const data = field('data').join('\n');
      if (data !== '') yield { event: field('event')[0] ?? 'message', data };
    }
  }
}
