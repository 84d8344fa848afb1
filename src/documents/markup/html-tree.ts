import { Unreadable } from '../unreadable.ts';
import type { MarkupNode } from './markup-node.ts';
import { scanMarkup } from './scan-markup.ts';
import { deepest } from './xml-nodes.ts';

const words = (text: string) => new Set(text.split(' '));
const voids = words('area base br col embed hr img input link meta param source track wbr');
const closesParagraph = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 ' +
    'h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul',
);
const scope = words('table td th caption html body button object template');

/** What an opening tag ends without a closing tag, and the elements beyond which it has no say. */
const ends = new Map<string, { closes: Set<string>; until: Set<string> }>([
  ['li', { closes: words('li'), until: words('ul ol menu') }],
  ['dt', { closes: words('dt dd'), until: words('dl') }],
  ['dd', { closes: words('dt dd'), until: words('dl') }],
  ['option', { closes: words('option'), until: words('select datalist') }],
  ['td', { closes: words('td th'), until: words('table tr') }],
  ['th', { closes: words('td th'), until: words('table tr') }],
  ['tr', { closes: words('tr td th caption'), until: words('table tbody thead tfoot') }],
  ['tbody', { closes: words('tbody thead tfoot tr caption colgroup'), until: words('table') }],
  ['thead', { closes: words('tbody thead tfoot tr caption colgroup'), until: words('table') }],
  ['tfoot', { closes: words('tbody thead tfoot tr caption colgroup'), until: words('table') }],
]);

/**
 * The tree of an HTML document, with the tags that HTML lets authors leave out. Throws `Unreadable` where it has more
 * elements and pieces of text than `mostNodes`.
 */
export function htmlTree(source: string, mostNodes = Infinity): MarkupNode {
  let nodes = 0;
  const count = () => {
    nodes++;
    if (nodes > mostNodes) {
      const limit = mostNodes.toLocaleString('en-US');
      throw new Unreadable('too large', `The page has more than ${limit} elements.`);
    }
  };
  const root: MarkupNode = { name: '#root', attributes: Object.create(null), children: [] };
  const open = [root];
  let ignored = 0;
  const endImplied = (closes: Set<string>, until: Set<string>) => {
    for (let at = open.length - 1; at > 0; at--) {
      const name = open[at]?.name ?? '';
      if (until.has(name)) return;
      if (closes.has(name)) open.length = at;
    }
  };
  const paragraph = words('p');
  const events = {
    open(name: string, attributes: MarkupNode['attributes'], selfClosed: boolean) {
      count();
      const leaf = voids.has(name) || (selfClosed && /^(svg|math|path|image|a|br)/.test(name));
      if (open.length >= deepest) {
        if (!leaf) ignored++;
        return;
      }
      if (closesParagraph.has(name)) endImplied(paragraph, scope);
      const implied = ends.get(name);
      if (implied) endImplied(implied.closes, implied.until);
      const node: MarkupNode = { name, attributes, children: [] };
      open.at(-1)?.children.push(node);
      if (!leaf) open.push(node);
    },
    close(name: string) {
      if (ignored > 0) {
        ignored--;
        return;
      }
      for (let at = open.length - 1; at > 0; at--) {
        const opened = open[at]?.name ?? '';
        if (opened === name) {
          open.length = at;
          return;
        }
        if (scope.has(opened) && !scope.has(name) && !/^t(r|body|head|foot)$/.test(name)) return;
      }
    },
    text(text: string) {
      count();
      open.at(-1)?.children.push(text);
    },
  };
  for (const _ of scanMarkup(source, false, events));
  return root;
}
