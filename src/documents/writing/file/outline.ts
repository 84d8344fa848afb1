import { number, type PdfFile, textString } from './pdf-file.ts';

export interface OutlineEntry {
  title: string;
  /** 1 for the outermost. */
  level: number;
  /** From 0. */
  page: number;
  top: number;
}

interface Branch {
  entry: OutlineEntry;
  reference: string;
  children: Branch[];
}

/** The headings as a tree that viewers show beside the pages; undefined where there are none. */
export function writeOutline(
  file: PdfFile,
  entries: readonly OutlineEntry[],
  { pages, height }: { pages: readonly string[]; height: number },
): string | undefined {
  if (entries.length === 0) return undefined;
  const roots: Branch[] = [];
  const open: Branch[] = [];
  for (const entry of entries) {
    const branch: Branch = { entry, reference: file.reserve(), children: [] };
    while (open.length > 0 && (open.at(-1)?.entry.level ?? 0) >= entry.level) open.pop();
    (open.at(-1)?.children ?? roots).push(branch);
    open.push(branch);
  }
  const root = file.reserve();
  const write = (branches: readonly Branch[], parent: string): void => {
    branches.forEach(({ entry, reference, children }, at) => {
      const before = branches[at - 1];
      const after = branches[at + 1];
      const inner = children.length > 0 && ends(children);
      file.set(
        reference,
        `<< /Title ${textString(entry.title)} /Parent ${parent} ` +
          `/Dest [${pages[entry.page]} /XYZ 0 ${number(height - entry.top)} null]` +
          `${before ? ` /Prev ${before.reference}` : ''}${after ? ` /Next ${after.reference}` : ''}` +
          `${inner ? ` ${inner}` : ''} >>`,
      );
      write(children, reference);
    });
  };
  write(roots, root);
  file.set(root, `<< /Type /Outlines ${ends(roots)} >>`);
  return root;
}

const ends = (branches: readonly Branch[]) =>
  `/First ${branches[0]?.reference} /Last ${branches.at(-1)?.reference} /Count ${branches.length}`;
