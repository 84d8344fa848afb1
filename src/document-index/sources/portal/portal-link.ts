import { BadRequest } from '../../../contracts/problems.ts';

/** What a link into Jive means. `base` is the address of the system, without a slash at its end. */
export type PortalLink = { base: string } & (
  | { document: string }
  /** `code` is the kind of place in the API, known where the link contains a number. */
  | { place: string; code: number | undefined; address: string }
);

/** Kinds of objects in the API. */
export const documentCode = 102;
const placeCodes = new Map([
  ['community', 14],
  ['space', 14],
  ['spaces', 14],
  ['projects', 600],
  ['project', 600],
  ['groups', 700],
  ['group', 700],
  ['blogs', 37],
  ['blog', 37],
]);

/** Ends of links that show a part of a place. */
const views = new Set(['content', 'overview', 'activity', 'people', 'pages', 'documents', 'calendar']);

/** Reads links to documents, spaces, groups, projects and blogs; throws for others. */
export function readPortalLink(address: string): PortalLink {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  const document = /^(.*?)\/docs\/DOC-(\d{1,15})(?:-[^/]*|\/.*)?$/.exec(path);
  if (document) return { base: url.origin + document[1], document: document[2] ?? '' };
  const match = /^(.*?)\/((?:community|spaces?|groups?|projects?|blogs?|people)\/.+)$/.exec(path);
  const parts = (match?.[2] ?? '').split('/').filter((part) => part !== '');
  const [kind = '', second = ''] = parts;
  // A view at the end is cut off, but a place may be named like one.
  if (parts.length > 2 && views.has(parts.at(-1) ?? '')) parts.pop();
  const base = url.origin + (match?.[1] ?? '');
  if (match && (kind !== 'people' || parts[2] === 'blog')) {
    const name = parts.at(-1) === 'blog' ? second : (parts.at(-1) ?? '');
    const numbered = /^\d{1,15}$/.test(name);
    return {
      base,
      place: decode(name),
      code: numbered ? placeCodes.get(parts.at(-2) ?? '') : undefined,
      address: normalised(`${base}/${parts.join('/')}`),
    };
  }
  throw new BadRequest(
    'the link leads to no document or space of the portal: use …/docs/DOC-<id>, or the address of a space, group, project or blog',
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

/** Addresses of places as they can be compared. */
export function normalised(address: string): string {
  const url = URL.parse(address);
  if (!url) return '';
  return `${url.host}${decode(url.pathname).replace(/\/+$/, '')}`.toLowerCase();
}
