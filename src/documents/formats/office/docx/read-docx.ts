import { openZipArchive, type ZipArchive } from '../../../containers/zip-archive.ts';
import type { Draft } from '../../../drafts/draft.ts';
import { childNodes, descendants, type MarkupNode } from '../../../markup/markup-node.ts';
import { xmlNode, xmlNodes } from '../../../markup/xml-nodes.ts';
import { classifyParagraph, isPageNumber, isTitle } from '../../../text/classify-text.ts';
import { Unreadable } from '../../../unreadable.ts';
import type { FormatInput } from '../../format-input.ts';
import { type Relationship, relationshipsOf } from '../relationships.ts';
import { readParagraph, styleIdOf } from './paragraph.ts';
import { listOf, outlineLevel, readStyles, type Styles } from './styles.ts';
import { readTable } from './table.ts';

export async function* readDocx(input: FormatInput): AsyncGenerator<Draft> {
  const archive = await openZipArchive(input.path, input.mostBytes);
  try {
    const main = archive.names.find((name) => /^word\/document\d*\.xml$/.test(name)) ?? '';
    const source = await archive.text(main);
    if (source === undefined) throw new Unreadable('invalid', 'The file has no document in it.');
    const links = await relationshipsOf(archive, main);
    const body = new DocxBody(await readStyles(archive), links, source);
    yield* await marginDrafts(archive, links, 'header');
    for (const node of xmlNodes(source, new Set(['w:p', 'w:tbl']))) yield* body.read(node);
    yield* await noteDrafts(archive, new Set(body.notes));
    yield* await marginDrafts(archive, links, 'footer');
  } finally {
    archive.close();
  }
}

/** Headers or footers, each text once. */
async function marginDrafts(
  archive: ZipArchive,
  links: ReadonlyMap<string, Relationship>,
  type: 'header' | 'footer',
): Promise<Draft[]> {
  const texts = new Set<string>();
  for (const { target } of [...links.values()].filter((link) => link.type === type)) {
    for (const node of xmlNodes((await archive.text(target)) ?? '', new Set(['w:p']))) {
      texts.add(readParagraph(node, undefined, new Map()).text.take().text);
    }
  }
  texts.delete('');
  return [...texts].map((text) => ({
    kind: isPageNumber(text) ? 'PageNumber' : type === 'header' ? 'Header' : 'Footer',
    text,
  }));
}

async function noteDrafts(archive: ZipArchive, wanted: ReadonlySet<string>): Promise<Draft[]> {
  const drafts: Draft[] = [];
  for (const type of ['footnote', 'endnote']) {
    if (![...wanted].some((note) => note.startsWith(type))) continue;
    const root = xmlNode(await archive.text(`word/${type}s.xml`), `w:${type}s`);
    for (const note of root ? childNodes(root) : []) {
      if (!wanted.has(`${type} ${note.attributes['w:id']}`)) continue;
      for (const paragraph of descendants(note, 'w:p')) {
        const { text, ...more } = readParagraph(paragraph, undefined, new Map()).text.take();
        if (text !== '') drafts.push({ kind: 'NarrativeText', text, ...more });
      }
    }
  }
  return drafts;
}

class DocxBody {
  readonly notes: string[] = [];
  readonly #styles: Styles;
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #hasHeadings: boolean;
  #page: number | undefined;
  #blank = false;

  constructor(styles: Styles, links: ReadonlyMap<string, Relationship>, source: string) {
    this.#styles = styles;
    this.#links = links;
    this.#page = /<w:lastRenderedPageBreak|w:type="page"|<w:pageBreakBefore/.test(source) ? 1 : undefined;
    const ids = [...styles].filter(([, style]) => style.heading !== undefined).map(([id]) => id);
    this.#hasHeadings =
      ids.some((id) => source.includes(`<w:pStyle w:val="${id}"`)) || source.includes('<w:outlineLvl');
  }

  *read(node: MarkupNode): Generator<Draft> {
    if (node.name === 'w:tbl') {
      const draft = readTable(node, this.#links);
      if (draft) yield this.#onPage(draft);
      for (const _ of descendants(node, 'w:lastRenderedPageBreak')) this.#turn(1);
      return;
    }
    const style = this.#styles.get(styleIdOf(node) ?? '');
    const parts = readParagraph(node, style, this.#links);
    this.notes.push(...parts.notes);
    this.#turn(parts.breaksBefore);
    const bold = parts.text.isBold;
    const paragraph = parts.text.take();
    if (paragraph.text !== '')
      yield this.#onPage({ ...paragraph, ...this.#kindOf(node, paragraph.text, parts, bold) });
    for (const text of parts.images) yield this.#onPage({ kind: 'Image', text });
    for (const box of parts.boxes) for (const inner of descendants(box, 'w:p')) yield* this.read(inner);
    this.#turn(parts.breaksAfter);
  }

  #kindOf(
    node: MarkupNode,
    text: string,
    parts: ReturnType<typeof readParagraph>,
    bold: boolean,
  ): Pick<Draft, 'kind' | 'depth'> & { text?: string } {
    const style = this.#styles.get(styleIdOf(node) ?? '');
    const properties = childNodes(node).find(({ name }) => name === 'w:pPr');
    const heading = outlineLevel(properties) ?? style?.heading;
    if (heading !== undefined) return { kind: 'Title', depth: heading };
    if (style?.isCaption) return { kind: 'FigureCaption' };
    if (style?.isCode) return { kind: 'CodeSnippet', text: parts.plain.trimEnd() };
    if (parts.formulas.length > 0 && parts.formulas.join('') === text.replace(/\s+/g, ''))
      return { kind: 'Formula' };
    const list = listOf(properties) ?? style?.list;
    if (list && list.id !== '0') return { kind: 'ListItem', depth: list.level };
    if (bold && !this.#hasHeadings && isTitle(text)) return { kind: 'Title', depth: 0 };
    return { kind: classifyParagraph(text) };
  }

  /** Word marks the page that follows a manual break once more: no page is counted twice before it has text. */
  #turn(breaks: number): void {
    if (this.#page === undefined || breaks === 0) return;
    this.#page += this.#blank ? breaks - 1 : breaks;
    this.#blank = true;
  }

  #onPage(draft: Draft): Draft {
    this.#blank = false;
    return this.#page === undefined ? draft : { ...draft, page: this.#page };
  }
}
