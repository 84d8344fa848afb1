import { blockElements, skippedElements } from '../../markup/html-elements.ts';
import { childNodes, isNode, type MarkupNode, textOf } from '../../markup/markup-node.ts';
import type { PdfPicture } from '../file/pdf-document.ts';
import type { Budget } from '../limits.ts';
import type { Block, Tone } from './block.ts';
import { cleanText } from './clean-text.ts';
import { CollectedRuns, type RunStyle } from './collect-runs.ts';
import { elementStyles } from './element-styles.ts';
import { listMarkers } from './list-markers.ts';
import { classesOf, isPanelTitle, panelTone } from './panels.ts';
import { preformatted } from './preformatted.ts';
import { readTable } from './read-table.ts';
import { absoluteAddress, captionOf, emoticon, isSmall, pictureText, statedSize } from './references.ts';

export interface ContentContext {
  /** What relative addresses refer to. */
  base: string;
  /** By absolute address. */
  pictures: ReadonlyMap<string, PdfPicture>;
  budget: Budget;
}

interface Place {
  style: RunStyle;
  lists: number;
  look?: 'caption';
}

/** What a page shows, as blocks. */
export function readBlocks(node: MarkupNode, context: ContentContext): Block[] {
  return new BlockReader(context).read(node, { style: {}, lists: 0 });
}

class BlockReader {
  readonly #context: ContentContext;
  #blocks: Block[] = [];
  #runs = new CollectedRuns();

  constructor(context: ContentContext) {
    this.#context = context;
  }

  read(node: MarkupNode, place: Place): Block[] {
    this.#children(node, place);
    this.#flush(place);
    return this.#blocks;
  }

  /** The blocks inside an element of their own. */
  #inner(node: MarkupNode, place: Place): Block[] {
    return new BlockReader(this.#context).read(node, place);
  }

  #flush({ look }: Place): void {
    const runs = this.#runs.take();
    if (runs.length > 0) this.#blocks.push({ kind: 'paragraph', runs, ...(look && { look }) });
  }

  #children(node: MarkupNode, place: Place): void {
    this.#context.budget.check();
    for (const it of node.children) {
      if (!isNode(it)) this.#text(it, place.style);
      else if (skippedElements.has(it.name) || 'hidden' in it.attributes) continue;
      else if (blockElements.has(it.name)) this.#block(it, place);
      else this.#inline(it, place);
    }
  }

  #text(text: string, style: RunStyle): void {
    this.#context.budget.spend(text);
    this.#runs.add(text, style);
  }

  #block(node: MarkupNode, place: Place): void {
    this.#flush(place);
    const heading = /^h([1-6])$/.exec(node.name)?.[1];
    if (heading) this.#heading(node, Number(heading), place);
    else {
      const tone = panelTone(node);
      if (tone) this.#panel(node, tone, place);
      else this.#plainBlock(node, place);
    }
    this.#flush(place);
  }

  #plainBlock(node: MarkupNode, place: Place): void {
    switch (node.name) {
      case 'table':
        this.#table(node, place);
        return;
      case 'pre':
        this.#code(node);
        return;
      case 'ul':
      case 'ol':
      case 'menu':
        this.#list(node, place);
        return;
      case 'hr':
        this.#blocks.push({ kind: 'rule' });
        return;
      case 'dt':
        this.#children(node, { ...place, style: { ...place.style, bold: true } });
        return;
      case 'dd':
        this.#blocks.push({ kind: 'list', items: [{ marker: '', blocks: this.#inner(node, place) }] });
        return;
      case 'figcaption':
      case 'caption':
        this.#blocks.push(...this.#inner(node, { ...place, look: 'caption' }));
        return;
      case 'math':
        this.#runs.add(node.attributes.alttext || textOf(node), { ...place.style, italic: true });
        return;
      default: {
        const isTitle = node.attributes.class !== undefined && isPanelTitle(node);
        this.#children(node, isTitle ? { ...place, style: { ...place.style, bold: true } } : place);
      }
    }
  }

  #heading(node: MarkupNode, level: number, place: Place): void {
    for (const block of this.#inner(node, { ...place, style: {} }))
      this.#blocks.push(block.kind === 'paragraph' ? { kind: 'heading', level, runs: block.runs } : block);
  }

  #list(list: MarkupNode, place: Place): void {
    const markerOf = listMarkers(list, place.lists);
    const inside = { ...place, lists: place.lists + 1 };
    const items = childNodes(list)
      .filter(({ name, attributes }) => !skippedElements.has(name) && !('hidden' in attributes))
      .map((item) => ({
        // Lists directly in lists belong to the item before, and have no marker of their own.
        marker: item.name === 'li' ? markerOf(item) : '',
        blocks: this.#inner(
          item.name === 'li' ? item : { name: '#item', attributes: {}, children: [item] },
          inside,
        ),
      }))
      .filter((item) => item.blocks.length > 0);
    if (items.length > 0) this.#blocks.push({ kind: 'list', items });
  }

  #panel(node: MarkupNode, tone: Tone, place: Place): void {
    const inner = this.#inner({ ...node, attributes: {}, name: 'div' }, place);
    if (inner.length > 0) this.#blocks.push({ kind: 'panel', tone, blocks: inner });
  }

  #table(node: MarkupNode, place: Place): void {
    const cellPlace = { style: {}, lists: 0 };
    const { table, captions, single } = readTable(node, (cell) =>
      this.#inner(cell, cell.name === 'th' ? { ...cellPlace, style: { bold: true } } : cellPlace),
    );
    for (const caption of captions) this.#plainBlock(caption, place);
    if (single) this.#children(single, place);
    if (table) this.#blocks.push(table);
  }

  #code(node: MarkupNode): void {
    const text = cleanText(preformatted(node)).replace(/^\n+|\s+$/g, '');
    this.#context.budget.spend(text);
    if (text !== '') this.#blocks.push({ kind: 'code', text });
  }

  #inline(node: MarkupNode, place: Place): void {
    const { name, attributes } = node;
    if (name === 'br') this.#runs.break();
    else if (name === 'img') this.#picture(node, place);
    else if (name === 'input') {
      if (attributes.type === 'checkbox') this.#runs.add('checked' in attributes ? '☑ ' : '☐ ', place.style);
    } else {
      const style = { ...place.style, ...elementStyles.get(name) };
      if (classesOf(node).has('status-macro')) style.bold = true;
      const link =
        name === 'a' && attributes.href ? absoluteAddress(attributes.href, this.#context.base) : undefined;
      if (link) style.link = link;
      this.#children(node, { ...place, style });
    }
  }

  #picture({ attributes }: MarkupNode, place: Place): void {
    const url = absoluteAddress(attributes.src ?? '', this.#context.base) ?? attributes.src ?? '';
    const picture = this.#context.pictures.get(url);
    const sign = emoticon(attributes);
    if (sign !== undefined || !picture || isSmall(attributes, picture)) {
      this.#text(sign ?? pictureText(attributes), {
        ...place.style,
        ...(sign === undefined && { italic: true }),
      });
      return;
    }
    this.#flush(place);
    this.#blocks.push({ kind: 'picture', picture, ...statedSize(attributes) });
    const text = captionOf(attributes);
    if (text !== '') {
      this.#runs.add(text, place.style);
      this.#flush({ ...place, look: 'caption' });
    }
  }
}
