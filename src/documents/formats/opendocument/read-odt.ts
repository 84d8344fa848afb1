import type { Draft } from '../../drafts/draft.ts';
import { xmlNodes } from '../../markup/xml-nodes.ts';
import { isPageNumber } from '../../text/classify-text.ts';
import type { FormatInput } from '../format-input.ts';
import { OdfBlocks } from './odf-blocks.ts';
import { marginTexts, openOdf } from './odf-content.ts';
import { odfText } from './odf-paragraph.ts';

const blocks = new Set([
  'text:h',
  'text:p',
  'text:list',
  'table:table',
  'text:soft-page-break',
  'text:tracked-changes',
]);

export async function* readOdt(input: FormatInput): AsyncGenerator<Draft> {
  const content = await openOdf(input);
  try {
    const reader = new OdfBlocks(content);
    for (const text of marginTexts(content.stylesSource, 'header', odfText)) yield { kind: 'Header', text };
    for (const node of xmlNodes(content.source, blocks)) yield* reader.read(node);
    yield* reader.notes;
    for (const text of marginTexts(content.stylesSource, 'footer', odfText)) {
      yield { kind: isPageNumber(text) ? 'PageNumber' : 'Footer', text };
    }
  } finally {
    content.archive.close();
  }
}
