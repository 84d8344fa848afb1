import { NotFound, Unprocessable } from '../../contracts/problems.ts';

const longestName = 200;

/** `/documents/<filename>`, or `/documents/<bot_id>/<name>` for what a bot has indexed. */
export interface DocumentPath {
  bot?: string;
  name: string;
  /** As it stands in the address, without the query. */
  path: string;
}

/** Reads the address of a stored file. Each part is decoded by itself, so that an encoded slash stays inside it. */
export function documentPath(url: string): DocumentPath {
  const path = url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const [first, second, ...rest] = path
    .replace(/^\/documents\//, '')
    .split('/')
    .map(decoded);
  if (first === undefined || first === '' || rest.length > 0)
    throw new NotFound('document', path.slice(0, 200));
  if (second === undefined) return { name: first, path };
  return { bot: first, name: second, path };
}

/** The name under which an upload is stored; refuses those that are no plain file name. */
export function uploadName({ bot, name }: DocumentPath): string {
  const reason = bot === undefined ? nameProblem(name) : 'it contains a slash';
  if (reason) throw new Unprocessable(`${JSON.stringify(name.slice(0, 60))} can't be a file name: ${reason}`);
  return name;
}

function nameProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return 'it names a folder';
  if (/[/\\]/.test(name)) return 'it contains a slash';
  if (/\p{Cc}/u.test(name)) return 'it contains a control character';
  if (Buffer.byteLength(name) > longestName) return `it is longer than ${longestName} bytes`;
  return undefined;
}

function decoded(part: string): string {
  try {
    // macOS sends names decomposed: и + ̆ for й.
    return decodeURIComponent(part).normalize('NFC');
  } catch {
    throw new Unprocessable('the address contains a broken percent encoding');
  }
}
