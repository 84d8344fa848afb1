import type { Draft } from '../../../drafts/draft.ts';
import { RichText } from '../../../drafts/rich-text.ts';
import { tableDraft } from '../../../drafts/table-draft.ts';
import { child, childNodes, descendants, type MarkupNode } from '../../../markup/markup-node.ts';
import { classifyParagraph, isPageNumber } from '../../../text/classify-text.ts';
import { formulaText } from '../formula.ts';
import type { Relationship } from '../relationships.ts';

type Links = ReadonlyMap<string, Relationship>;

/** The elements of a shape of a slide: its text, table or picture. */
export function shapeDrafts(shape: MarkupNode, links: Links): Draft[] {
  const table = [...descendants(shape, 'a:tbl')][0];
  if (table) {
    const draft = slideTable(table);
    return draft ? [draft] : [];
  }
  if (shape.name === 'p:pic') {
    const { descr, title } = child(shape, 'p:nvPicPr', 'p:cNvPr')?.attributes ?? {};
    const text = (descr || title || '').replace(/\s+/g, ' ').trim();
    return text ? [{ kind: 'Image', text }] : [];
  }
  const body = child(shape, 'p:txBody');
  if (!body) return [];
  const role = placeholderOf(shape);
  return childNodes(body)
    .filter(({ name }) => name === 'a:p')
    .flatMap((node) => paragraphDrafts(node, role, links));
}

/** `title`, `body`, `ftr` and so on; undefined for a shape that is no placeholder. */
export function placeholderOf(shape: MarkupNode): string | undefined {
  const placeholder = child(shape, 'p:nvSpPr', 'p:nvPr', 'p:ph');
  return placeholder && (placeholder.attributes.type ?? 'body');
}

export const isTitleShape = (shape: MarkupNode): boolean =>
  /^(?:title|ctrTitle)$/.test(placeholderOf(shape) ?? '');

function paragraphDrafts(node: MarkupNode, role: string | undefined, links: Links): Draft[] {
  const text = new RichText();
  const formulas: string[] = [];
  for (const it of childNodes(node)) {
    if (it.name === 'a:r' || it.name === 'a:fld')
      text.add(child(it, 'a:t')?.children.join('') ?? '', styleOf(it, links));
    else if (it.name === 'a:br') text.add(' ');
    else if (/^(?:a14:m|mc:AlternateContent)$/.test(it.name)) {
      for (const math of descendants(it, 'm:oMath')) formulas.push(formulaText(math));
    }
  }
  const drafts: Draft[] = formulas.map((formula) => ({ kind: 'Formula', text: formula }));
  if (text.isEmpty) return drafts;
  const properties = child(node, 'a:pPr');
  const paragraph = text.take();
  const depth = Math.max(0, Math.min(Number(properties?.attributes.lvl ?? 0) || 0, 8));
  return [...drafts, { ...paragraph, ...kindOf(paragraph.text, role, properties, depth) }];
}

function kindOf(
  text: string,
  role: string | undefined,
  properties: MarkupNode | undefined,
  depth: number,
): Pick<Draft, 'kind' | 'depth'> {
  if (role === 'title' || role === 'ctrTitle') return { kind: 'Title', depth: 0 };
  if (role === 'subTitle') return { kind: 'Title', depth: 1 };
  if (role === 'sldNum' || (role && isPageNumber(text) && /^(?:ftr|dt)$/.test(role)))
    return { kind: 'PageNumber' };
  if (role === 'ftr' || role === 'dt') return { kind: 'Footer' };
  if (role === 'hdr') return { kind: 'Header' };
  const bulleted =
    child(properties, 'a:buChar') ?? child(properties, 'a:buAutoNum') ?? child(properties, 'a:buBlip');
  const inherited = /^(?:body|obj)$/.test(role ?? '') && !child(properties, 'a:buNone');
  if (bulleted || inherited) return { kind: 'ListItem', depth };
  return { kind: classifyParagraph(text) };
}

function styleOf(run: MarkupNode, links: Links) {
  const properties = child(run, 'a:rPr');
  const { b, i, u } = properties?.attributes ?? {};
  const link = child(properties, 'a:hlinkClick')?.attributes['r:id'];
  const target = link ? links.get(link) : undefined;
  return {
    bold: b === '1' || b === 'true',
    italic: i === '1' || i === 'true',
    underline: u !== undefined && u !== 'none' && !link,
    url: target?.external ? target.target : undefined,
  };
}

function slideTable(table: MarkupNode): Draft | undefined {
  const rows = childNodes(table)
    .filter(({ name }) => name === 'a:tr')
    .map((row) =>
      childNodes(row)
        .filter(({ name, attributes }) => name === 'a:tc' && !attributes.hMerge && !attributes.vMerge)
        .map((cell) => ({
          text: [...descendants(cell, 'a:p')]
            .map((node) => [...descendants(node, 'a:t')].map((it) => it.children.join('')).join(''))
            .join(' ')
            .replace(/\s+/gu, ' ')
            .trim(),
          rowSpan: Number(cell.attributes.rowSpan ?? 1) || 1,
          columnSpan: Number(cell.attributes.gridSpan ?? 1) || 1,
        })),
    );
  const heading = /^(?:1|true)$/.test(child(table, 'a:tblPr')?.attributes.firstRow ?? '') && rows.length > 1;
  return tableDraft(rows, heading ? 1 : 0);
}
