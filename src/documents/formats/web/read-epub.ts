import { posix } from 'node:path';
import { openZipArchive } from '../../containers/zip-archive.ts';
import type { Draft } from '../../drafts/draft.ts';
import { descendants } from '../../markup/markup-node.ts';
import { xmlNode } from '../../markup/xml-nodes.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';
import { htmlDrafts } from './html-drafts.ts';

/** The chapters of an e-book in reading order. */
export async function* readEpub(input: FormatInput): AsyncGenerator<Draft> {
  const archive = await openZipArchive(input.path, input.mostBytes);
  try {
    const container = xmlNode(await archive.text('META-INF/container.xml'), 'container');
    const main = [...(container ? descendants(container, 'rootfile') : [])][0]?.attributes['full-path'];
    const source = main && (await archive.text(main));
    const book = source && (xmlNode(source, 'package') ?? xmlNode(source, 'opf:package'));
    if (!main || !book) throw new Unreadable('invalid', 'The e-book has no table of its parts.');
    const protectedParts = (await archive.text('META-INF/encryption.xml')) ?? '';
    if (/CipherReference[^>]*\.x?html?"/i.test(protectedParts)) {
      throw new Unreadable('encrypted', 'File is encrypted. Please decrypt it with password.');
    }
    const named = (name: string) => [...descendants(book, name), ...descendants(book, `opf:${name}`)];
    const items = new Map(named('item').map(({ attributes }) => [attributes.id ?? '', attributes]));
    for (const { attributes } of named('itemref')) {
      const item = items.get(attributes.idref ?? '');
      if (!item?.href || !/html/.test(item['media-type'] ?? 'html')) continue;
      const part = posix.join(posix.dirname(main), decodeURI(item.href));
      // Chapters are XHTML: an empty element may be closed in its opening tag, which HTML ignores.
      const chapter = (await archive.text(part))?.replace(
        /<(title|script|a|p|div|span|td|th)\b([^<>]*)\/>/g,
        '<$1$2></$1>',
      );
      if (chapter) yield* htmlDrafts(chapter);
    }
  } finally {
    archive.close();
  }
}
