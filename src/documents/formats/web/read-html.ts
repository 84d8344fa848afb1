import type { Draft } from '../../drafts/draft.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';
import { htmlDrafts } from './html-drafts.ts';

export async function* readHtml(input: FormatInput): AsyncGenerator<Draft> {
  const source = await readText(input, (start) => /charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1]);
  yield* htmlDrafts(source);
}
