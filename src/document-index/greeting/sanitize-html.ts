import { Parser } from 'htmlparser2';

const allowed = new Set(
  'p br hr b strong i em u s sub sup ul ol li h1 h2 h3 h4 blockquote code pre span div a'.split(' '),
);
const empty = new Set(['br', 'hr']);
/** Elements whose text is not meant to be read. */
const dropped = new Set(
  'script style iframe object embed svg math template noscript noembed noframes textarea select title head xmp'.split(
    ' ',
  ),
);
const address = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu;

/**
 * The harmless part of an HTML text: plain markup and links to web and mail addresses. It is written anew from what is
 * allowed, with everything else escaped, so that no browser can read more into it.
 */
export function sanitizeHtml(html: string): string {
  let result = '';
  let skipping = 0;
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (dropped.has(name)) skipping++;
        if (skipping > 0 || !allowed.has(name)) return;
        result += `<${name}${name === 'a' ? link(attributes.href) : ''}>`;
        if (!empty.has(name)) open.push(name);
      },
      ontext(text) {
        if (skipping === 0) result += escapeHtml(text);
      },
      onclosetag(name) {
        if (dropped.has(name) && skipping > 0) skipping--;
        else if (skipping === 0 && open.includes(name)) {
          for (let last = open.pop(); last !== undefined; last = last === name ? undefined : open.pop()) {
            result += `</${last}>`;
          }
        }
      },
    },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: false },
  );
  parser.end(html);
  return (
    result +
    open
      .reverse()
      .map((name) => `</${name}>`)
      .join('')
  );
}

function link(href: string | undefined): string {
  const shown = href?.trim() ?? '';
  return address.test(shown) ? ` href="${escapeHtml(shown)}" rel="noopener noreferrer"` : '';
}

export const escapeHtml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
