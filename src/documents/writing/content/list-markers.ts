import type { MarkupNode } from '../../markup/markup-node.ts';

const bullets = ['•', '◦', '▪'];
const roman = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'.split(' ');

/** What stands in front of the items of a list, as wikis show it: bullets, or 1. a. i. by depth. */
export function listMarkers(list: MarkupNode, depth: number): (item: MarkupNode) => string {
  if (list.name !== 'ol') {
    const tasks = /\btask-list\b/.test(list.attributes.class ?? '');
    const bullet = bullets[depth % bullets.length] ?? '•';
    return ({ attributes }) => (tasks ? (/\bchecked\b/.test(attributes.class ?? '') ? '☑' : '☐') : bullet);
  }
  let next = whole(list.attributes.start) ?? 1;
  return ({ attributes }) => {
    const value = whole(attributes.value) ?? next;
    next = value + 1;
    return `${written(value, list.attributes.type ?? ['1', 'a', 'i'][depth % 3])}.`;
  };
}

function whole(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? '', 10);
  return Number.isNaN(value) ? undefined : Math.max(-9_999, Math.min(99_999, value));
}

function written(value: number, type: string | undefined): string {
  if (type === 'a' || type === 'A') {
    const letter = value >= 1 && value <= 26 ? String.fromCharCode(96 + value) : String(value);
    return type === 'A' ? letter.toUpperCase() : letter;
  }
  if (type === 'i' || type === 'I') {
    const numeral = roman[value - 1] ?? String(value);
    return type === 'I' ? numeral.toUpperCase() : numeral;
  }
  return String(value);
}
