import { htmlTree } from '../../../documents/markup/html-tree.ts';
import { isNode, type MarkupNode, textOf } from '../../../documents/markup/markup-node.ts';
import { escapeHtml, writeHtml } from '../../../documents/markup/write-html.ts';

const words = (text: string) => new Set(text.split(' '));
const removed = words(
  'script style noscript template iframe object embed svg canvas form button select input textarea nav dialog menu link ' +
    'meta head title',
);
const roles = words(
  'navigation banner contentinfo search complementary dialog alert menu menubar toolbar tablist',
);
const around =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|side-bar|breadcrumbs?|footer|cookies?|banner|share|sharing|social|comments?|related|popup|modal|advert|ads|promo|subscribe|subscription|newsletter|pagination|pager|skip|toc|masthead|topbar)(?:$|[\s_-])/i;
const texts = words('p li td th pre blockquote dd dt h1 h2 h3 h4 h5 h6 figcaption caption');

/** Less text than this is no article: a start page, or an application that needs a browser. */
const shortest = 200;
/** The smallest part of the page with this share of its text is the article. */
const share = 0.85;

export interface Article {
  title: string;
  /** A whole HTML document. */
  html: string;
  /** Number of characters that people read. */
  length: number;
}

/**
 * What a web page is about, without menus, sidebars and footers. It keeps too much rather than too little: a page in
 * which no article stands out stays whole.
 */
export function articleOf(source: string, address: string): Article {
  const tree = htmlTree(source);
  const title = titleOf(tree);
  const body = find(tree, (node) => node.name === 'body') ?? tree;
  const whole = clean(body, false);
  const strict = clean(mainOf(body), true);
  const found = weigh(strict).plain >= Math.max(shortest, weigh(whole).plain * 0.3) ? narrow(strict) : whole;
  const heading = find(found, (node) => node.name === 'h1') ? '' : `<h1>${escapeHtml(title)}</h1>\n`;
  const html = `<!doctype html>\n<html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>\n${title && heading}${writeHtml(found, address)}\n</body></html>\n`;
  return { title, html, length: textOf(found).replace(/\s+/gu, ' ').length };
}

function titleOf(tree: MarkupNode): string {
  const node = find(tree, ({ name }) => name === 'title') ?? find(tree, ({ name }) => name === 'h1');
  return node ? textOf(node).replace(/\s+/gu, ' ').trim().slice(0, 500) : '';
}

/** The only `main`, or the only `article`, where the author marked one. */
function mainOf(body: MarkupNode): MarkupNode {
  for (const matches of [
    (node: MarkupNode) => node.name === 'main' || node.attributes.role === 'main',
    (node: MarkupNode) => node.name === 'article',
  ]) {
    const found = [...all(body, matches)];
    if (found.length === 1 && found[0] && weigh(found[0]).plain >= shortest) return found[0];
  }
  return body;
}

/** A copy without what no reader wants; `strict` also drops what surrounds articles. */
function clean(node: MarkupNode, strict: boolean): MarkupNode {
  const inArticle = node.name === 'article' || node.name === 'main';
  const children = node.children.flatMap((child): MarkupNode['children'] => {
    if (!isNode(child)) return [child];
    if (removed.has(child.name) || isHidden(child)) return [];
    if (strict && isAround(child, inArticle)) return [];
    return [clean(child, strict)];
  });
  return { ...node, children };
}

function isHidden({ attributes }: MarkupNode): boolean {
  return (
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    /display\s*:\s*none/i.test(attributes.style ?? '')
  );
}

function isAround(node: MarkupNode, inArticle: boolean): boolean {
  const { name, attributes } = node;
  if (name === 'aside' || name === 'footer') return true;
  if (name === 'header') return !inArticle && find(node, ({ name: inner }) => inner === 'h1') === undefined;
  if (roles.has(attributes.role ?? '')) return true;
  const named = around.test(attributes.class ?? '') || around.test(attributes.id ?? '');
  if (!named && !/^(?:ul|ol|div|section|table)$/.test(name)) return false;
  const { plain, linked } = weigh(node);
  // A list of links is a menu, unless there is text between them; what is only named like one may have a lot of text.
  if (named) return linked * 2 > plain + linked || plain < 1_500;
  return linked > 40 && linked > plain * 3 && countLinks(node) >= 4;
}

/** Goes down as long as one child has nearly all of the text. */
function narrow(node: MarkupNode): MarkupNode {
  const { plain } = weigh(node);
  const child = node.children.find(
    (it): it is MarkupNode => isNode(it) && !texts.has(it.name) && weigh(it).plain >= plain * share,
  );
  return child && /^(?:body|html|div|section|main|article|center|#root)$/.test(child.name)
    ? narrow(child)
    : node;
}

interface Weight {
  /** Characters outside of links. */
  plain: number;
  linked: number;
}

/** Remembered, since a node is weighed with each of its ancestors. */
const weights = new WeakMap<MarkupNode, Weight>();

function weigh(node: MarkupNode): Weight {
  const known = weights.get(node);
  if (known) return known;
  let [plain, linked] = [0, 0];
  for (const child of node.children) {
    if (!isNode(child)) plain += child.trim().length;
    else if (!removed.has(child.name)) {
      const inner = weigh(child);
      if (child.name === 'a') linked += inner.plain + inner.linked;
      else [plain, linked] = [plain + inner.plain, linked + inner.linked];
    }
  }
  const weight = { plain, linked };
  weights.set(node, weight);
  return weight;
}

const countLinks = (node: MarkupNode) => [...all(node, ({ name }) => name === 'a')].length;

function* all(node: MarkupNode, matches: (node: MarkupNode) => boolean): Generator<MarkupNode> {
  for (const child of node.children) {
    if (!isNode(child)) continue;
    if (matches(child)) yield child;
    else yield* all(child, matches);
  }
}

const find = (node: MarkupNode, matches: (node: MarkupNode) => boolean): MarkupNode | undefined =>
  all(node, matches).next().value ?? undefined;
