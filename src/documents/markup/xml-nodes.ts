import type { MarkupNode } from './markup-node.ts';
import { scanMarkup } from './scan-markup.ts';

/** Deeper elements are left out and their text moves up, so that code may walk a tree by recursion. */
export const deepest = 500;

/**
 * The outermost elements with one of these names, each as a tree, as soon as it is complete: a long document is never
 * held as a whole tree.
 */
export function* xmlNodes(source: string, wanted: ReadonlySet<string>): Generator<MarkupNode> {
  const ready: MarkupNode[] = [];
  const open: MarkupNode[] = [];
  let ignored = 0;
  const close = () => {
    const node = open.pop();
    if (node && open.length === 0) ready.push(node);
  };
  const events = {
    open(name: string, attributes: MarkupNode['attributes'], selfClosed: boolean) {
      if (open.length === 0 && !wanted.has(name)) return;
      if (open.length >= deepest) {
        if (!selfClosed) ignored++;
        return;
      }
      const node: MarkupNode = { name, attributes, children: [] };
      open.at(-1)?.children.push(node);
      open.push(node);
      if (selfClosed) close();
    },
    close(name: string) {
      if (open.length === 0) return;
      if (ignored > 0) ignored--;
      else if (open.at(-1)?.name === name || open.some((node) => node.name === name)) {
        while (open.at(-1)?.name !== name) close();
        close();
      }
    },
    text(text: string) {
      open.at(-1)?.children.push(text);
    },
  };
  for (const _ of scanMarkup(source, true, events)) {
    yield* ready;
    ready.length = 0;
  }
  // A truncated document still gives what it has.
  while (open.length > 0) close();
  yield* ready;
}

/** The first element with that name, as a tree. */
export function xmlNode(source: string | undefined, name: string): MarkupNode | undefined {
  if (source === undefined) return undefined;
  for (const node of xmlNodes(source, new Set([name]))) return node;
  return undefined;
}
