import { Parser } from 'htmlparser2';

const plain = [
  'b',
  'blockquote',
  'br',
  'code',
  'em',
  'h1',
  'h2',
  'h3',
  'h4',
  'hr',
  'i',
  'li',
  'ol',
  'p',
  'pre',
];
const allowed = new Set([...plain, 's', 'small', 'span', 'strong', 'sub', 'sup', 'u', 'ul', 'a']);
const empty = new Set(['br', 'hr']);
/** Their text is not meant to be read. */
const silent = new Set([
  'script',
  'style',
  'template',
  'iframe',
  'object',
  'noscript',
  'svg',
  'math',
  'title',
]);

/** HTML with nothing but text, simple formatting and links that open elsewhere. Other tags go, their text stays. */
export function cleanGreeting(html: string): string {
  let result = '';
  let silence = 0;
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (silent.has(name)) silence++;
        if (silence > 0 || !allowed.has(name)) return;
        result += name === 'a' ? link(attributes.href) : `<${name}>`;
        if (!empty.has(name)) open.push(name);
      },
      ontext(text) {
        if (silence === 0) result += escaped(text);
      },
      onclosetag(name) {
        if (silent.has(name)) silence = Math.max(0, silence - 1);
        if (silence > 0 || open.at(-1) !== name) return;
        open.pop();
        result += `</${name}>`;
      },
    },
    { decodeEntities: true },
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
  if (href === undefined || !/^(https?:\/\/|mailto:)/i.test(href.trim())) return '<a>';
  return `<a href="${escaped(href.trim())}" rel="noopener noreferrer" target="_blank">`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
