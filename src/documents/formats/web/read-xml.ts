import type { Draft } from '../../drafts/draft.ts';
import { scanMarkup } from '../../markup/scan-markup.ts';
import { classifyText } from '../../text/classify-text.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';

const documentType = /<!DOCTYPE[^>[]{0,1000}\[[^\]]*\]\s*>/i;

/** The text of an XML file: each element's own text is a paragraph. With `xmlKeepTags` it is the source as it stands. */
export async function* readXml(input: FormatInput): AsyncGenerator<Draft> {
  const source = await readText(
    input,
    (start) => /<\?xml[^>]*\bencoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1],
  );
  if (input.xmlKeepTags) {
    yield { kind: 'UncategorizedText', text: source.trim() };
    return;
  }
  const ready: string[] = [];
  let text = '';
  const flush = () => {
    const paragraph = text.replace(/\s+/gu, ' ').trim();
    if (paragraph !== '') ready.push(paragraph);
    text = '';
  };
  const events = {
    open: flush,
    close: flush,
    text(part: string) {
      text += part;
    },
  };
  for (const _ of scanMarkup(source.replace(documentType, ''), true, events)) {
    for (const paragraph of ready) yield { kind: classifyText(paragraph, []), text: paragraph };
    ready.length = 0;
  }
  flush();
  for (const paragraph of ready) yield { kind: classifyText(paragraph, []), text: paragraph };
}
