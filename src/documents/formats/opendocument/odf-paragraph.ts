import { RichText, type RunStyle } from '../../drafts/rich-text.ts';
import { isNode, type MarkupNode } from '../../markup/markup-node.ts';
import type { OdfStyle, OdfStyles } from './odf-content.ts';

export interface OdfParagraph {
  text: RichText;
  /** The same with its line ends. */
  plain: string;
  frames: MarkupNode[];
  notes: MarkupNode[];
  /** Page breaks that the writing program has noted. */
  pageBreaks: number;
}

/** The text of a paragraph or heading, and what is anchored in it. */
export function odfParagraph(node: MarkupNode, styles: OdfStyles): OdfParagraph {
  const result: OdfParagraph = { text: new RichText(), plain: '', frames: [], notes: [], pageBreaks: 0 };
  walk(node, runStyle(styles.get(node.attributes['text:style-name'] ?? '')), styles, result);
  return result;
}

export const odfText = (node: MarkupNode): string => odfParagraph(node, new Map()).text.take().text;

const runStyle = (style: OdfStyle | undefined): RunStyle => ({
  bold: style?.bold,
  italic: style?.italic,
  underline: style?.underline,
});

function walk(node: MarkupNode, style: RunStyle, styles: OdfStyles, result: OdfParagraph): void {
  const add = (text: string) => {
    result.text.add(text, style);
    result.plain += text;
  };
  for (const it of node.children) {
    if (!isNode(it)) add(it);
    else if (it.name === 'text:s')
      add(' '.repeat(Math.min(Number(it.attributes['text:c'] ?? 1) || 1, 1_000)));
    else if (it.name === 'text:tab') add('\t');
    else if (it.name === 'text:line-break') add('\n');
    else if (it.name === 'text:soft-page-break') result.pageBreaks++;
    else if (it.name === 'draw:frame' || it.name === 'draw:custom-shape') result.frames.push(it);
    else if (it.name === 'text:note') result.notes.push(it);
    else if (it.name === 'text:a') {
      walk(it, { ...style, url: it.attributes['xlink:href'] ?? style.url }, styles, result);
    } else if (it.name === 'text:span') {
      const own = styles.get(it.attributes['text:style-name'] ?? '');
      const merged = {
        ...style,
        bold: own?.bold ?? style.bold,
        italic: own?.italic ?? style.italic,
        underline: own?.underline ?? style.underline,
      };
      walk(it, merged, styles, result);
    } else if (!/^(?:office:annotation|text:tracked-changes|text:bookmark|text:ruby-text)/.test(it.name)) {
      walk(it, style, styles, result);
    }
  }
}
