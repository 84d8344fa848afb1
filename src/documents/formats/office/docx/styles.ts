import type { ZipArchive } from '../../../containers/zip-archive.ts';
import { child, childNodes, type MarkupNode } from '../../../markup/markup-node.ts';
import { xmlNode } from '../../../markup/xml-nodes.ts';

export interface ParagraphStyle {
  /** Depth of a heading, from 0. */
  heading?: number;
  list?: { id: string; level: number };
  isCaption: boolean;
  isCode: boolean;
  bold: boolean;
  italic: boolean;
}

export type Styles = ReadonlyMap<string, ParagraphStyle>;

/** The styles of a document by id, with what they inherit. */
export async function readStyles(archive: ZipArchive): Promise<Styles> {
  const root = xmlNode(await archive.text('word/styles.xml'), 'w:styles');
  const nodes = new Map<string, MarkupNode>();
  for (const node of root ? childNodes(root) : []) {
    const id = node.attributes['w:styleId'];
    if (node.name === 'w:style' && id) nodes.set(id, node);
  }
  const styles = new Map<string, ParagraphStyle>();
  const resolve = (id: string, way: number): ParagraphStyle | undefined => {
    const known = styles.get(id);
    const node = nodes.get(id);
    if (known || !node || way > 20) return known;
    const based = value(child(node, 'w:basedOn'));
    const style = styleOf(node, based === undefined ? undefined : resolve(based, way + 1));
    styles.set(id, style);
    return style;
  };
  for (const id of nodes.keys()) resolve(id, 0);
  return styles;
}

export const value = (node: MarkupNode | undefined): string | undefined => node?.attributes['w:val'];

/** A switch such as `<w:b/>`, which `w:val="0"` turns off again. */
export const isOn = (node: MarkupNode | undefined): boolean | undefined =>
  node && !/^(?:0|false|none|off)$/.test(value(node) ?? '1');

function styleOf(node: MarkupNode, base: ParagraphStyle | undefined): ParagraphStyle {
  const name = value(child(node, 'w:name'))?.toLowerCase() ?? '';
  const paragraph = child(node, 'w:pPr');
  const run = child(node, 'w:rPr');
  return {
    heading: headingOf(name, paragraph) ?? base?.heading,
    list: nestedBy(name, listOf(paragraph) ?? base?.list),
    isCaption: /^(?:caption|название объекта)/.test(name) || (base?.isCaption ?? false),
    isCode:
      /^(?:html preformatted|source code|code|plain text|macro|verbatim)/.test(name) ||
      (base?.isCode ?? false),
    bold: isOn(child(run, 'w:b')) ?? base?.bold ?? false,
    italic: isOn(child(run, 'w:i')) ?? base?.italic ?? false,
  };
}

/** `List Bullet 2` is a list of its own in Word's templates, and yet means the second level. */
function nestedBy(name: string, list: ParagraphStyle['list']): ParagraphStyle['list'] {
  const level = /^list (?:bullet|number|continue) ([2-5])$/.exec(name)?.[1];
  return list && level ? { ...list, level: Number(level) - 1 } : list;
}

function headingOf(name: string, paragraph: MarkupNode | undefined): number | undefined {
  const named = /^(?:heading|заголовок|überschrift|titre) ?([1-9])/.exec(name)?.[1];
  if (named) return Number(named) - 1;
  if (/^(?:title|название|заголовок)$/.test(name)) return 0;
  if (/^(?:subtitle|подзаголовок)$/.test(name)) return 1;
  return outlineLevel(paragraph);
}

export function outlineLevel(paragraph: MarkupNode | undefined): number | undefined {
  const level = Number(value(child(paragraph, 'w:outlineLvl')) ?? 9);
  return level >= 0 && level < 9 ? level : undefined;
}

export function listOf(paragraph: MarkupNode | undefined): { id: string; level: number } | undefined {
  const numbering = child(paragraph, 'w:numPr');
  if (!numbering) return undefined;
  const id = value(child(numbering, 'w:numId')) ?? '';
  const level = Number(value(child(numbering, 'w:ilvl')) ?? 0);
  return { id, level: Number.isInteger(level) ? Math.max(0, Math.min(level, 8)) : 0 };
}
