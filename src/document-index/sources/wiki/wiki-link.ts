import { BadRequest } from '../../../contracts/problems.ts';

/** What a link into Confluence means. `base` is the address of the system, without a slash at its end. */
export type WikiLink = { base: string } & ({ page: string } | { space: string; title?: string });

/** Reads the links that Confluence Server and Data Center show; throws for others. */
export function readWikiLink(address: string): WikiLink {
  const url = new URL(address);
  const [, context = '', rest = ''] =
    /^(.*?)\/((?:display|pages|spaces|x|rest)\/.*)$/.exec(`${url.pathname.replace(/\/+$/, '')}/`) ?? [];
  const base = url.origin + context;
  const parts = rest
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const [kind, first = '', second = '', third = ''] = parts;
  const pageId = url.searchParams.get('pageId') ?? url.searchParams.get('homepageId');
  if (pageId && /^\d{1,20}$/.test(pageId)) return { base, page: pageId };
  if (kind === 'display' && first)
    return second ? { base, space: first, title: second } : { base, space: first };
  if (kind === 'spaces' && second === 'pages' && /^\d{1,20}$/.test(third)) return { base, page: third };
  if (kind === 'x' && first) return { base, page: tinyPage(first) };
  const space = url.searchParams.get('spaceKey') ?? url.searchParams.get('key');
  const title = url.searchParams.get('title');
  if (space && (kind === 'pages' || kind === 'spaces'))
    return title ? { base, space, title } : { base, space };
  if (kind === 'spaces' && first && !first.endsWith('.action')) return { base, space: first };
  throw new BadRequest(
    'the link leads to no page or space of the wiki: use …/display/<space>/<page> or …/pages/viewpage.action?pageId=<id>',
  );
}

/** In paths of Confluence a plus is a space. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

/** Short links contain the page's number, its lowest byte first, in base 64 with other signs and without padding. */
function tinyPage(code: string): string {
  const bytes = Buffer.from(code.replaceAll('-', '/').replaceAll('_', '+'), 'base64');
  const number = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return String(number);
}
