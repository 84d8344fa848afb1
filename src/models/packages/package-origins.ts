import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A server that files come from. The headers may contain credentials and are never shown. */
export interface Origin {
  url: string;
  headers: Record<string, string>;
  /** Requests to it go through a proxy that the environment names. */
  proxied?: boolean;
}

/** The server for each kind of source. */
export interface Origins {
  hub: Origin;
  pypi: Origin;
  maven: Origin;
}

interface OriginSettings {
  hub: { endpoint: string; token?: string | undefined };
  packages: { pypi_index?: string | undefined; maven_repository?: string | undefined };
  /** For the settings of pip and Maven: a company's mirror is usually configured there. */
  environment: Record<string, string | undefined>;
}

export async function findOrigins(settings: OriginSettings): Promise<Origins> {
  const { hub, packages, environment } = settings;
  const pypi = packages.pypi_index ?? (await pipIndex(environment)) ?? 'https://pypi.org/simple';
  const maven =
    packages.maven_repository ?? (await mavenMirror(environment)) ?? 'https://repo1.maven.org/maven2';
  const proxied = isProxied(environment);
  const token: Record<string, string> = hub.token ? { authorization: `Bearer ${hub.token}` } : {};
  return {
    hub: { url: trim(hub.endpoint), headers: token, proxied },
    pypi: { ...withoutPassword(pypi), proxied },
    maven: { ...withoutPassword(maven), proxied },
  };
}

export const isProxied = (environment: OriginSettings['environment']): boolean =>
  ['http_proxy', 'https_proxy'].some((name) => environment[name] || environment[name.toUpperCase()]);

/** In pip's own order: the variable, then the configuration files from the user's to the machine's. */
async function pipIndex(environment: OriginSettings['environment']): Promise<string | undefined> {
  if (environment.PIP_INDEX_URL) return environment.PIP_INDEX_URL;
  // As in pip, naming the null device disables all configuration files.
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

/** User and password in an address become a header, so that they are not shown with the address. */
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
