import type { Draft } from '../../drafts/draft.ts';
import { child, childNodes, descendants, type MarkupNode, textOf } from '../../markup/markup-node.ts';
import { xmlNode } from '../../markup/xml-nodes.ts';
import { classifyParagraph } from '../../text/classify-text.ts';
import type { OdfContent } from './odf-content.ts';
import { type OdfParagraph, odfParagraph, odfText } from './odf-paragraph.ts';
import { odfTable } from './odf-table.ts';

/** Reads headings, paragraphs, lists and tables, and keeps count of pages. */
export class OdfBlocks {
  page: number | undefined;
  readonly notes: Draft[] = [];
  readonly #content: OdfContent;

  constructor(content: OdfContent) {
    this.#content = content;
    this.page = /<text:soft-page-break|break-(?:before|after)="page"/.test(content.source) ? 1 : undefined;
  }

  async *read(node: MarkupNode, list = -1, kind?: Draft['kind']): AsyncGenerator<Draft> {
    switch (node.name) {
      case 'text:soft-page-break':
        return this.#turn(1);
      case 'text:h':
      case 'text:p':
        return yield* this.#paragraph(node, list, kind);
      case 'text:list':
        for (const item of childNodes(node)) {
          let first = true;
          for (const it of childNodes(item)) {
            const inItem = first || it.name === 'text:list' ? list + 1 : -1;
            yield* this.read(it, it.name === 'text:list' ? list + 1 : inItem, kind);
            if (it.name === 'text:p') first = false;
          }
        }
        return;
      case 'table:table': {
        const draft = odfTable(node);
        if (draft) yield this.#onPage(draft);
        return;
      }
      case 'draw:frame':
      case 'draw:custom-shape':
        return yield* this.#frame(node, kind);
      case 'text:tracked-changes':
      case 'text:sequence-decls':
      case 'office:forms':
        return;
      default:
        for (const it of childNodes(node)) yield* this.read(it, list, kind);
    }
  }

  async *#paragraph(node: MarkupNode, list: number, kind: Draft['kind'] | undefined): AsyncGenerator<Draft> {
    const style = this.#content.styles.get(node.attributes['text:style-name'] ?? '');
    if (style?.breakBefore) this.#turn(1);
    const parts = odfParagraph(node, this.#content.styles);
    const own = this.#draft(node, parts, list, kind);
    if (own) yield this.#onPage(own);
    for (const note of parts.notes) {
      const text = [...descendants(note, 'text:p')].map(odfText).join(' ').trim();
      if (text) this.notes.push({ kind: 'NarrativeText', text });
    }
    for (const frame of parts.frames) yield* this.read(frame);
    this.#turn(parts.pageBreaks + (style?.breakAfter ? 1 : 0));
  }

  #draft(
    node: MarkupNode,
    parts: OdfParagraph,
    list: number,
    kind: Draft['kind'] | undefined,
  ): Draft | undefined {
    const style = this.#content.styles.get(node.attributes['text:style-name'] ?? '');
    const paragraph = parts.text.take();
    if (paragraph.text === '') return undefined;
    if (kind) return { kind, ...paragraph, ...(kind === 'Title' && { depth: 0 }) };
    const styleName = node.attributes['text:style-name'] ?? '';
    if (node.name === 'text:h') {
      const depth = Math.max(0, (Number(node.attributes['text:outline-level'] ?? 1) || 1) - 1);
      return { kind: 'Title', ...paragraph, depth };
    }
    if (styleName === 'Title' || styleName === 'Subtitle') {
      return { kind: 'Title', ...paragraph, depth: styleName === 'Title' ? 0 : 1 };
    }
    if (list >= 0) return { kind: 'ListItem', ...paragraph, depth: list };
    if (style?.isCode) return { kind: 'CodeSnippet', text: parts.plain.trimEnd() };
    return { kind: classifyParagraph(paragraph.text), ...paragraph };
  }

  async *#frame(node: MarkupNode, kind: Draft['kind'] | undefined): AsyncGenerator<Draft> {
    const formula = await this.#formula(node);
    if (formula) {
      yield this.#onPage({ kind: 'Formula', text: formula });
      return;
    }
    if (child(node, 'draw:image')) {
      const described = child(node, 'svg:desc') ?? child(node, 'svg:title');
      const text = described ? textOf(described).replace(/\s+/gu, ' ').trim() : '';
      if (text) yield this.#onPage({ kind: 'Image', text });
      return;
    }
    for (const it of childNodes(node)) {
      if (!/^svg:/.test(it.name)) yield* this.read(it, -1, kind);
    }
  }

  async #formula(node: MarkupNode): Promise<string | undefined> {
    const object = child(node, 'draw:object')?.attributes['xlink:href']?.replace(/^\.\//, '');
    if (!object) return undefined;
    const source = await this.#content.archive.text(`${object}/content.xml`);
    const math = source && (xmlNode(source, 'math') ?? xmlNode(source, 'math:math'));
    if (!math) return undefined;
    const annotation = [...descendants(math, 'annotation'), ...descendants(math, 'math:annotation')][0];
    return (
      textOf(annotation ?? math)
        .replace(/\s+/gu, ' ')
        .trim() || undefined
    );
  }

  #turn(pages: number): void {
    if (this.page !== undefined) this.page += pages;
  }

  #onPage(draft: Draft): Draft {
    return this.page === undefined ? draft : { ...draft, page: this.page };
  }
}
