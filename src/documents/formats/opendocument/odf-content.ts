import { openZipArchive, type ZipArchive } from '../../containers/zip-archive.ts';
import type { RunStyle } from '../../drafts/rich-text.ts';
import { child, descendants, type MarkupNode } from '../../markup/markup-node.ts';
import { xmlNode, xmlNodes } from '../../markup/xml-nodes.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';

export interface OdfContent {
  archive: ZipArchive;
  source: string;
  styles: OdfStyles;
  stylesSource: string;
}

export interface OdfStyle extends RunStyle {
  breakBefore?: boolean;
  breakAfter?: boolean;
  isCode?: boolean;
}

export type OdfStyles = ReadonlyMap<string, OdfStyle>;

export async function openOdf(input: FormatInput): Promise<OdfContent> {
  const archive = await openZipArchive(input.path, input.mostBytes);
  try {
    const manifest = (await archive.text('META-INF/manifest.xml')) ?? '';
    if (manifest.includes(':encryption-data')) {
      throw new Unreadable('encrypted', 'File is encrypted. Please decrypt it with password.');
    }
    const source = await archive.text('content.xml');
    if (source === undefined) throw new Unreadable('invalid', 'The file has no content in it.');
    const stylesSource = (await archive.text('styles.xml')) ?? '';
    return { archive, source, stylesSource, styles: stylesOf(stylesSource, source) };
  } catch (error) {
    archive.close();
    throw error;
  }
}

function stylesOf(...sources: string[]): OdfStyles {
  const styles = new Map<string, OdfStyle>();
  for (const source of sources) {
    for (const node of xmlNodes(source, new Set(['style:style']))) {
      const name = node.attributes['style:name'];
      if (name) styles.set(name, styleOf(node, styles.get(node.attributes['style:parent-style-name'] ?? '')));
    }
  }
  return styles;
}

function styleOf(node: MarkupNode, parent: OdfStyle | undefined): OdfStyle {
  const text = child(node, 'style:text-properties')?.attributes;
  const paragraph = child(node, 'style:paragraph-properties')?.attributes;
  const weight = text?.['fo:font-weight'];
  const slant = text?.['fo:font-style'];
  const line = text?.['style:text-underline-style'];
  return {
    bold: weight === undefined ? parent?.bold : /bold|[6-9]00/.test(weight),
    italic: slant === undefined ? parent?.italic : slant === 'italic' || slant === 'oblique',
    underline: line === undefined ? parent?.underline : line !== 'none',
    breakBefore: paragraph?.['fo:break-before'] === 'page',
    breakAfter: paragraph?.['fo:break-after'] === 'page',
    isCode: parent?.isCode || node.attributes['style:name'] === 'Preformatted_20_Text',
  };
}

/** The texts of headers or footers of the master pages, each once. */
export function marginTexts(
  stylesSource: string,
  kind: 'header' | 'footer',
  textOf: (node: MarkupNode) => string,
): string[] {
  const masters = xmlNode(stylesSource, 'office:master-styles');
  const texts = new Set<string>();
  for (const margin of masters ? descendants(masters, `style:${kind}`) : []) {
    for (const paragraph of descendants(margin, 'text:p')) texts.add(textOf(paragraph));
  }
  texts.delete('');
  return [...texts];
}
