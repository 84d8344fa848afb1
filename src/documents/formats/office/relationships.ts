import { posix } from 'node:path';
import type { ZipArchive } from '../../containers/zip-archive.ts';
import { childNodes } from '../../markup/markup-node.ts';
import { xmlNode } from '../../markup/xml-nodes.ts';

export interface Relationship {
  /** The last word of the type's address: `header`, `hyperlink`, `slideLayout`. */
  type: string;
  /** A member of the archive, or an address outside. */
  target: string;
  external: boolean;
}

/** What the parts of an Office file refer to, by id. */
export async function relationshipsOf(archive: ZipArchive, part: string): Promise<Map<string, Relationship>> {
  const folder = posix.dirname(part);
  const found = new Map<string, Relationship>();
  const root = xmlNode(await archive.text(`${folder}/_rels/${posix.basename(part)}.rels`), 'Relationships');
  for (const { name, attributes } of root ? childNodes(root) : []) {
    if (name !== 'Relationship' || !attributes.Id) continue;
    const external = attributes.TargetMode === 'External';
    const target = attributes.Target ?? '';
    found.set(attributes.Id, {
      type: attributes.Type?.split('/').at(-1) ?? '',
      target: external ? target : target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      external,
    });
  }
  return found;
}
