import type { MarkupNode } from '../../markup/markup-node.ts';
import type { Tone } from './block.ts';

export const classesOf = ({ attributes }: MarkupNode): Set<string> =>
  new Set((attributes.class ?? '').slice(0, 1_000).split(/\s+/));

const tones: [suffix: string, tone: Tone][] = [
  ['information', 'information'],
  ['tip', 'tip'],
  ['note', 'note'],
  ['warning', 'warning'],
];

/** Whether an element is a box around its content, such as Confluence's macros; code has a look of its own. */
export function panelTone(node: MarkupNode): Tone | undefined {
  if (node.name === 'blockquote') return 'quote';
  if (node.attributes.class === undefined) return undefined;
  const classes = classesOf(node);
  if (classes.has('confluence-information-macro')) {
    const found = tones.find(([suffix]) => classes.has(`confluence-information-macro-${suffix}`));
    return found?.[1] ?? 'information';
  }
  for (const [suffix, tone] of tones) if (classes.has(`${suffix}Macro`)) return tone;
  const isPanel = classes.has('panel') && !classes.has('code') && !classes.has('preformatted');
  return isPanel ? 'plain' : undefined;
}

const titles = ['title', 'panelHeader', 'expand-control'];

/** The title of a box. */
export function isPanelTitle(node: MarkupNode): boolean {
  const classes = classesOf(node);
  return titles.some((title) => classes.has(title));
}
