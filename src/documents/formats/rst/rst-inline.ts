import { RichText } from '../../drafts/rich-text.ts';

const inline =
  /``(.{1,2000}?)``|\*\*([^*\n]{1,2000})\*\*|\*([^*\n]{1,2000})\*|:[\w:-]{1,40}:`([^`]{1,2000})`|`([^`<]{0,1000})<([^>`]{1,2000})>`__?|`([^`]{1,2000})`__?|`([^`]{1,2000})`/g;

/** The text of a paragraph, without its marks. */
export function rstText(source: string, targets: ReadonlyMap<string, string>): RichText {
  const text = new RichText();
  let at = 0;
  for (const match of source.matchAll(inline)) {
    text.add(plain(source.slice(at, match.index)));
    at = match.index + match[0].length;
    const [, code, bold, italic, role, label, url, reference, interpreted] = match;
    if (bold !== undefined) text.add(bold, { bold: true });
    else if (italic !== undefined) text.add(italic, { italic: true });
    else if (url !== undefined) text.add(label?.trim() || url, { url });
    else if (reference !== undefined) text.add(reference, { url: targets.get(reference.toLowerCase()) });
    else text.add((code ?? role?.replace(/\s*<[^>]*>$/, '') ?? interpreted) || '');
  }
  text.add(plain(source.slice(at)));
  return text;
}

const plain = (text: string) =>
  text
    .replace(/\|(\w[^|\n]{0,100})\|/g, '$1')
    .replace(/(\w)__?(?=[\s.,;)]|$)/g, '$1')
    .replace(/\\(\S)/g, '$1');
