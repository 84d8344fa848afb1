import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A server that files come from. The headers may carry a key and are never shown. */
export interface Origin {
  url: string;
  headers: Record<string, string>;
}

/** Where each kind of source is found. */
export interface Origins {
  hub: Origin;
  pypi: Origin;
  maven: Origin;
}

interface OriginSettings {
  hub: { endpoint: string; token?: string | undefined };
  packages: { pypi_index?: string | undefined; maven_repository?: string | undefined };
  /** For what pip and Maven themselves are told: a company's mirror is usually configured there. */
  environment: Record<string, string | undefined>;
}

export async function findOrigins(settings: OriginSettings): Promise<Origins> {
  const { hub, packages, environment } = settings;
  const pypi = packages.pypi_index ?? (await pipIndex(environment)) ?? 'https://pypi.org/simple';
  const maven =
    packages.maven_repository ?? (await mavenMirror(environment)) ?? 'https://repo1.maven.org/maven2';
  return {
    hub: { url: trim(hub.endpoint), headers: hub.token ? { authorization: `Bearer ${hub.token}` } : {} },
    pypi: withoutPassword(pypi),
    maven: withoutPassword(maven),
  };
}

/** pip's own order: the variable, then the configuration files, the nearest to the user first. */
async function pipIndex(environment: OriginSettings['environment']): Promise<string | undefined> {
  if (environment.PIP_INDEX_URL) return environment.PIP_INDEX_URL;
  // As for pip itself, naming the null device turns all configuration files off.
  if (environment.PIP_CONFIG_FILE === '/dev/null') return undefined;
  const home = environment.HOME ?? '';
  const files = [
    environment.PIP_CONFIG_FILE,
    environment.VIRTUAL_ENV && join(environment.VIRTUAL_ENV, 'pip.conf'),
    join(environment.XDG_CONFIG_HOME ?? join(home, '.config'), 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    '/etc/pip.conf',
  ];
  for (const file of files) {
    const index = file && readIndexUrl(await readIfThere(file));
    if (index) return index;
  }
  return undefined;
}

/** `index-url` of the `[global]`, `[install]` or `[download]` section. */
function readIndexUrl(ini: string): string | undefined {
  let section = '';
  for (const line of ini.split('\n')) {
    section = /^\s*\[(\w+)\]/.exec(line)?.[1] ?? section;
    const value = /^\s*index[-_]url\s*[=:]\s*(\S+)/.exec(line)?.[1];
    if (value && ['global', 'install', 'download'].includes(section)) return value;
  }
  return undefined;
}

/** The mirror that Maven's user settings name for the central repository. */
async function mavenMirror(environment: OriginSettings['environment']): Promise<string | undefined> {
  const xml = await readIfThere(join(environment.HOME ?? '', '.m2', 'settings.xml'));
  const mirrors = xml.replace(/<!--[\s\S]*?-->/g, '').match(/<mirror>[\s\S]*?<\/mirror>/g) ?? [];
  for (const mirror of mirrors) {
    const of = /<mirrorOf>\s*(.*?)\s*<\/mirrorOf>/s.exec(mirror)?.[1]?.split(',') ?? [];
    const url = /<url>\s*(\S+?)\s*<\/url>/.exec(mirror)?.[1];
    const applies = of.some((name) => ['*', 'central', 'external:*'].includes(name.trim()));
    if (url && applies && !of.includes('!central') && url.startsWith('http')) return url;
  }
  return undefined;
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** User and password in an address become a header: so they are sent, and not shown with the address. */
function withoutPassword(address: string): Origin {
  const url = new URL(address);
  const { username, password } = url;
  if (!username) return { url: trim(url.href), headers: {} };
  url.username = '';
  url.password = '';
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: trim(url.href), headers: { authorization: `Basic ${credentials.toString('base64')}` } };
}

const trim = (url: string) => url.replace(/\/+$/, '');
