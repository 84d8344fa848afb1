import MarkdownIt from 'markdown-it';
import type { Draft } from '../../drafts/draft.ts';
import { escaped } from '../../drafts/table-draft.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';
import { htmlDrafts } from './html-drafts.ts';

const displayFormula = /^(?:\$\$\n?([\s\S]{1,10000}?)\n?\$\$|\\\[\n?([\s\S]{1,10000}?)\n?\\\])[ \t]*$/gm;

/** Markdown becomes HTML, so that both are read by the same rules. Front matter is left out. */
export async function* readMarkdown(input: FormatInput): AsyncGenerator<Draft> {
  const source = (await readText(input)).replace(/^---\n[\s\S]{0,20000}?\n(?:---|\.\.\.)\n/, '');
  const markdown = new MarkdownIt({ html: true, linkify: false });
  const html = markdown.render(withFormulas(source));
  yield* htmlDrafts(html, { guessTitles: false }).map(withTasks);
}

/** A display formula outside of code becomes a `<math>` block. */
function withFormulas(source: string): string {
  if (!source.includes('$$') && !source.includes('\\[')) return source;
  return source
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(displayFormula, (_, dollars, brackets) => {
            const text = escaped((dollars ?? brackets).replace(/\n+/g, ' ').trim()).replace(/"/g, '&quot;');
            return `\n<div><math alttext="${text}"></math></div>\n`;
          }),
    )
    .join('');
}

/** GitHub's task lists. */
function withTasks(draft: Draft): Draft {
  if (draft.kind !== 'ListItem') return draft;
  const task = /^\[([ xX])\] /.exec(draft.text);
  if (!task) return draft;
  const links = draft.links?.map((link) => ({ ...link, start: Math.max(0, link.start - 2) }));
  return { ...draft, text: `${task[1] === ' ' ? '☐' : '☑'} ${draft.text.slice(4)}`, ...(links && { links }) };
}
