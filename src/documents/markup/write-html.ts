import { isNode, type MarkupNode } from './markup-node.ts';

const voids = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const dropped = new Set('script style noscript template iframe object embed'.split(' '));
const kept = new Set('href src alt title colspan rowspan id name hidden lang dir'.split(' '));

/** Writes a tree as HTML again, with absolute addresses and without scripts, styles and handlers. */
export function writeHtml(node: MarkupNode, base: string): string {
  let html = '';
  for (const child of node.children) {
    if (!isNode(child)) html += escapeHtml(child);
    else if (!dropped.has(child.name) && /^[a-z][a-z0-9-]*$/.test(child.name)) {
      html += `<${child.name}${attributesOf(child, base)}>`;
      if (!voids.has(child.name)) html += `${writeHtml(child, base)}</${child.name}>`;
    }
  }
  return html;
}

function attributesOf({ attributes }: MarkupNode, base: string): string {
  return Object.entries(attributes)
    .filter(([name]) => kept.has(name))
    .map(
      ([name, value]) => [name, name === 'href' || name === 'src' ? absolute(value, base) : value] as const,
    )
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeHtml(value ?? '')}"`)
    .join('');
}

function absolute(address: string, base: string): string | undefined {
  if (address.startsWith('#')) return address;
  const url = URL.parse(address.trim(), base);
  return url && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
