import type { ZipArchive } from '../../../containers/zip-archive.ts';
import { child, childNodes, descendants, type MarkupNode } from '../../../markup/markup-node.ts';
import { xmlNode, xmlNodes } from '../../../markup/xml-nodes.ts';
import { Unreadable } from '../../../unreadable.ts';
import { relationshipsOf } from '../relationships.ts';
import { type NumberKind, numberKind } from './number-format.ts';

export interface Workbook {
  sheets: { name: string; part: string }[];
  strings: string[];
  /** Per cell style, what its numbers are. */
  kinds: NumberKind[];
  from1904: boolean;
}

export async function openWorkbook(archive: ZipArchive): Promise<Workbook> {
  const main = 'xl/workbook.xml';
  const root = xmlNode(await archive.text(main), 'workbook');
  if (!root) throw new Unreadable('invalid', 'The file has no workbook in it.');
  const links = await relationshipsOf(archive, main);
  const sheets = [...descendants(root, 'sheet')].flatMap(({ attributes }) => {
    const part = links.get(attributes['r:id'] ?? '')?.target;
    return part && archive.has(part) ? [{ name: attributes.name ?? '', part }] : [];
  });
  return {
    sheets,
    strings: sharedStrings((await archive.text('xl/sharedStrings.xml')) ?? ''),
    kinds: cellKinds(xmlNode(await archive.text('xl/styles.xml'), 'styleSheet')),
    from1904: /^(?:1|true)$/.test(child(root, 'workbookPr')?.attributes.date1904 ?? ''),
  };
}

function sharedStrings(source: string): string[] {
  const strings: string[] = [];
  for (const node of xmlNodes(source, new Set(['si']))) strings.push(stringOf(node));
  return strings;
}

/** The text of a string item; phonetic hints are left out. */
export function stringOf(node: MarkupNode): string {
  let text = '';
  for (const it of childNodes(node)) {
    if (it.name === 't') text += it.children.join('');
    else if (it.name === 'r') text += child(it, 't')?.children.join('') ?? '';
  }
  return text;
}

function cellKinds(root: MarkupNode | undefined): NumberKind[] {
  if (!root) return [];
  const codes = new Map(
    [...descendants(root, 'numFmt')].map(({ attributes }) => [
      Number(attributes.numFmtId),
      attributes.formatCode,
    ]),
  );
  const formats = child(root, 'cellXfs');
  return (formats ? childNodes(formats) : []).map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0);
    return numberKind(id, codes.get(id));
  });
}
