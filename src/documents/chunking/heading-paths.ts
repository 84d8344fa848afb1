import type { DocumentElement } from '../element.ts';

/** Keeps the titles that elements stand under while they pass by. */
export function headingPaths() {
  const open: { depth: number; text: string }[] = [];
  const paths = new Map<number, string[]>();
  return {
    *watch(elements: Iterable<DocumentElement>): Generator<DocumentElement> {
      for (const element of elements) {
        if (element.kind === 'Title') {
          const depth = element.depth ?? 0;
          while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
          open.push({ depth, text: element.text });
        }
        paths.set(
          element.index,
          open.map(({ text }) => text),
        );
        yield element;
      }
    },
    of: (element: DocumentElement | undefined): string[] => paths.get(element?.index ?? -1) ?? [],
    /** Elements up to this one are done with. */
    forget(element: DocumentElement | undefined): void {
      for (const index of paths.keys()) {
        if (index > (element?.index ?? -1)) return;
        paths.delete(index);
      }
    },
  };
}
