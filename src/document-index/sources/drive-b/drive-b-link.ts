import { BadRequest } from '../../../contracts/problems.ts';

export interface DriveBLink {
  /** What the API calls `public_key`: the public link itself, or the key in it. */
  key: string;
  /** Path inside a public folder; `/` is the folder itself. */
  path: string;
}

/** Reads public links to Yandex Disk: `/d/<code>` (a folder, with a path in it), `/i/<code>` (a file), `?hash=`. */
export function readDriveBLink(address: string): DriveBLink {
  const url = new URL(address);
  const hash = url.searchParams.get('hash');
  if (hash) {
    // A link into a folder has the path behind the key.
    const [, key = hash, path] = /^(.*?=?):(\/.*)$/.exec(hash) ?? [];
    return { key, path: path ?? '/' };
  }
  const match = /^\/(d|i|mail|a)\/([A-Za-z0-9_-]{4,128})(\/.*)?$/.exec(url.pathname);
  if (!match) {
    throw new BadRequest('the link is not a public link to a file or folder: use …/d/<code> or …/i/<code>');
  }
  const [, kind, code, rest = ''] = match;
  const parts = rest
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  return { key: `${url.origin}/${kind}/${code}`, path: `/${parts.join('/')}` };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
