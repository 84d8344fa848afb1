import type { Draft } from '../../drafts/draft.ts';
import { childNodes, descendants, type MarkupNode } from '../../markup/markup-node.ts';
import { xmlNodes } from '../../markup/xml-nodes.ts';
import type { FormatInput } from '../format-input.ts';
import { OdfBlocks } from './odf-blocks.ts';
import { openOdf } from './odf-content.ts';
import { odfText } from './odf-paragraph.ts';

const kinds = new Map<string, Draft['kind']>([
  ['title', 'Title'],
  ['subtitle', 'NarrativeText'],
  ['footer', 'Footer'],
  ['header', 'Header'],
  ['date-time', 'Footer'],
  ['page-number', 'PageNumber'],
]);

export async function* readOdp(input: FormatInput): AsyncGenerator<Draft> {
  const content = await openOdf(input);
  try {
    let page = 0;
    for (const slide of xmlNodes(content.source, new Set(['draw:page']))) {
      page++;
      const reader = new OdfBlocks(content);
      const drafts: Draft[] = [];
      for (const shape of childNodes(slide)) {
        if (shape.name === 'presentation:notes') drafts.push(...notesOf(shape));
        else {
          const kind = kinds.get(shape.attributes['presentation:class'] ?? '');
          for await (const draft of reader.read(shape, -1, kind)) drafts.push(draft);
        }
      }
      const pageName = drafts.find(({ kind }) => kind === 'Title')?.text ?? slide.attributes['draw:name'];
      for (const draft of drafts) yield { ...draft, page, ...(pageName && { pageName }) };
    }
  } finally {
    content.archive.close();
  }
}

function notesOf(notes: MarkupNode): Draft[] {
  return [...descendants(notes, 'text:p')]
    .map(odfText)
    .filter(Boolean)
    .map((text) => ({ kind: 'NarrativeText', text }));
}
