import type { Attributes } from './scan-markup.ts';

export interface MarkupNode {
  name: string;
  attributes: Attributes;
  children: (MarkupNode | string)[];
}

export const isNode = (child: MarkupNode | string): child is MarkupNode => typeof child !== 'string';

export const childNodes = (node: MarkupNode): MarkupNode[] => node.children.filter(isNode);

export function child(node: MarkupNode | undefined, ...path: string[]): MarkupNode | undefined {
  let found = node;
  for (const name of path) {
    found = found?.children.find((it): it is MarkupNode => isNode(it) && it.name === name);
  }
  return found;
}

/** The nodes with that name at any depth, outermost first; what lies inside a found node is not searched. */
export function* descendants(node: MarkupNode, name: string): Generator<MarkupNode> {
  for (const it of node.children) {
    if (!isNode(it)) continue;
    if (it.name === name) yield it;
    else yield* descendants(it, name);
  }
}

export function textOf(node: MarkupNode): string {
  let text = '';
  for (const it of node.children) text += isNode(it) ? textOf(it) : it;
  return text;
}
