import { skippedElements } from '../../markup/html-elements.ts';
import { isNode, type MarkupNode } from '../../markup/markup-node.ts';

/** Text with its white space; some editors write line breaks as elements. */
export function preformatted(node: MarkupNode): string {
  let text = '';
  for (const it of node.children) {
    if (!isNode(it)) text += it;
    else if (it.name === 'br') text += '\n';
    else if (!skippedElements.has(it.name)) {
      text += preformatted(it);
      if (/^(?:div|p|tr|li)$/.test(it.name) && !text.endsWith('\n')) text += '\n';
    }
  }
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll('\u00a0', ' ');
}
