import type { Draft } from '../../drafts/draft.ts';
import { RichText, type RunStyle } from '../../drafts/rich-text.ts';
import { blockElements, emphasisElements, skippedElements } from '../../markup/html-elements.ts';
import { htmlTree } from '../../markup/html-tree.ts';
import { isNode, type MarkupNode, textOf } from '../../markup/markup-node.ts';
import { classifyParagraph, classifyText, withoutBullet } from '../../text/classify-text.ts';
import { htmlTable } from './html-table.ts';

const inlineStyles = new Map<string, RunStyle>(emphasisElements);

interface Place {
  /** Nesting of lists; -1 outside of any. */
  list: number;
  style: RunStyle;
  kind?: Draft['kind'];
}

export interface HtmlOptions {
  /** Take short paragraphs for headings, in documents without any. */
  guessTitles?: boolean;
}

/** The elements of an HTML document. */
export function htmlDrafts(source: string, options: HtmlOptions = {}): Draft[] {
  const root = htmlTree(source);
  const reader = new HtmlReader(options.guessTitles ?? !/<h[1-6]\b/i.test(source));
  reader.block(root, { list: -1, style: {} });
  reader.flush({ list: -1, style: {} });
  return reader.drafts;
}

class HtmlReader {
  readonly drafts: Draft[] = [];
  readonly #guessTitles: boolean;
  #text = new RichText();
  #images: Draft[] = [];

  constructor(guessTitles: boolean) {
    this.#guessTitles = guessTitles;
  }

  /** Ends the paragraph that is being collected. */
  flush(place: Place): void {
    const bold = this.#text.isBold;
    const paragraph = this.#text.take();
    if (paragraph.text !== '') {
      let kind = place.kind;
      if (!kind && place.list >= 0) kind = 'ListItem';
      kind ??= this.#guessTitles && bold ? classifyText(paragraph.text) : classifyParagraph(paragraph.text);
      if (kind === 'ListItem') paragraph.text = withoutBullet(paragraph.text);
      this.drafts.push({
        kind,
        ...paragraph,
        ...(kind === 'ListItem' && { depth: Math.max(0, place.list) }),
      });
    }
    this.drafts.push(...this.#images);
    this.#images = [];
  }

  block(node: MarkupNode, place: Place): void {
    for (const it of node.children) {
      if (!isNode(it)) this.#text.add(it, place.style);
      else if (!skippedElements.has(it.name) && !('hidden' in it.attributes)) this.#node(it, place);
    }
  }

  #node(node: MarkupNode, place: Place): void {
    if (!blockElements.has(node.name)) {
      this.#inline(node, place);
      return;
    }
    this.flush(place);
    const heading = /^h([1-6])$/.exec(node.name)?.[1];
    if (heading) {
      this.#heading(node, Number(heading) - 1, place);
      return;
    }
    switch (node.name) {
      case 'table':
        this.#table(node, place);
        return;
      case 'pre':
        this.#code(node);
        return;
      case 'math':
        this.#formula(node);
        return;
      case 'ul':
      case 'ol':
      case 'menu':
        this.#inside(node, { ...place, list: place.list + 1 });
        return;
      case 'figcaption':
      case 'caption':
        this.#inside(node, { ...place, kind: 'FigureCaption' });
        return;
      case 'address':
        this.#inside(node, { ...place, kind: 'Address' });
        return;
      default:
        this.#inside(node, place);
        return;
    }
  }

  #inside(node: MarkupNode, place: Place): void {
    this.block(node, place);
    this.flush(place);
  }

  #heading(node: MarkupNode, depth: number, place: Place): void {
    this.block(node, { ...place, list: -1 });
    const paragraph = this.#text.take();
    if (paragraph.text !== '') this.drafts.push({ kind: 'Title', ...paragraph, depth });
    this.flush(place);
  }

  #inline(node: MarkupNode, place: Place): void {
    const { name, attributes } = node;
    if (name === 'br') {
      this.#text.add(' ', place.style);
      return;
    }
    if (name === 'img') {
      this.#image(attributes);
      return;
    }
    if (name === 'input') {
      if (attributes.type === 'checkbox') this.#text.add('checked' in attributes ? '☑ ' : '☐ ', place.style);
      return;
    }
    const style = { ...place.style, ...inlineStyles.get(name) };
    if (name === 'a' && attributes.href && !/^\s*javascript:/i.test(attributes.href))
      style.url = attributes.href.trim();
    this.block(node, { ...place, style });
  }

  #image({ alt, title, src }: MarkupNode['attributes']): void {
    const text = (alt || title || '').replace(/\s+/gu, ' ').trim();
    if (text === '') return;
    const url = src && !src.startsWith('data:') ? src : undefined;
    this.#images.push({ kind: 'Image', text, ...(url && { links: [{ text, url, start: 0 }] }) });
  }

  #table(node: MarkupNode, place: Place): void {
    const { draft, captions, single } = htmlTable(node);
    for (const caption of captions) this.#inside(caption, { ...place, kind: 'FigureCaption' });
    // A table of one cell is a frame around other content.
    if (single) {
      this.#inside(single, place);
      return;
    }
    if (draft) this.drafts.push(draft);
  }

  #code(node: MarkupNode): void {
    const text = textOf(node).replace(/^\n+|\s+$/g, '');
    if (text !== '') this.drafts.push({ kind: 'CodeSnippet', text });
  }

  #formula(node: MarkupNode): void {
    const text = (node.attributes.alttext || textOf(node)).replace(/\s+/gu, ' ').trim();
    if (text !== '') this.drafts.push({ kind: 'Formula', text });
  }
}
