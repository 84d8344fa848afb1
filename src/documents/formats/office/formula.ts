import { child, childNodes, type MarkupNode } from '../../markup/markup-node.ts';

/** An Office formula (OMML) as LaTeX-like text. */
export function formulaText(node: MarkupNode): string {
  return childNodes(node).map(partText).join('');
}

const inside = (node: MarkupNode, name: string): string => {
  const found = child(node, name);
  return found ? formulaText(found) : '';
};

const brackets = (text: string) => (text.length <= 1 ? text : `{${text}}`);
const character = (node: MarkupNode, property: string, name: string) =>
  child(node, property, name)?.attributes['m:val'];

const operators = new Map([
  ['∑', '\\sum'],
  ['∏', '\\prod'],
  ['∫', '\\int'],
]);

function partText(node: MarkupNode): string {
  switch (node.name) {
    case 'm:r':
      return childNodes(node)
        .filter(({ name }) => name === 'm:t')
        .map((it) => it.children.join(''))
        .join('');
    case 'm:f':
      return `\\frac{${inside(node, 'm:num')}}{${inside(node, 'm:den')}}`;
    case 'm:sSup':
      return `${inside(node, 'm:e')}^${brackets(inside(node, 'm:sup'))}`;
    case 'm:sSub':
      return `${inside(node, 'm:e')}_${brackets(inside(node, 'm:sub'))}`;
    case 'm:sSubSup':
      return `${inside(node, 'm:e')}_${brackets(inside(node, 'm:sub'))}^${brackets(inside(node, 'm:sup'))}`;
    case 'm:rad': {
      const degree = inside(node, 'm:deg');
      return `\\sqrt${degree ? `[${degree}]` : ''}{${inside(node, 'm:e')}}`;
    }
    case 'm:nary': {
      const sign = character(node, 'm:naryPr', 'm:chr') ?? '∫';
      const [from, to] = [inside(node, 'm:sub'), inside(node, 'm:sup')];
      const limits = `${from ? `_${brackets(from)}` : ''}${to ? `^${brackets(to)}` : ''}`;
      return `${operators.get(sign) ?? sign}${limits} ${inside(node, 'm:e')}`;
    }
    case 'm:d': {
      const parts = childNodes(node)
        .filter(({ name }) => name === 'm:e')
        .map(formulaText);
      const [open, close] = [
        character(node, 'm:dPr', 'm:begChr') ?? '(',
        character(node, 'm:dPr', 'm:endChr') ?? ')',
      ];
      return `${open}${parts.join(', ')}${close}`;
    }
    case 'm:mr':
      return `${childNodes(node).map(formulaText).join(' & ')} \\\\ `;
    default:
      return /Pr$/.test(node.name) ? '' : formulaText(node);
  }
}
