import { resolve } from 'node:path';
import { type Environment, processEnvironment } from '../../platform/config/environment.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';
import { configFrom } from '../terminal/config-options.ts';
import { readLocalKey } from './local-key.ts';
import { type RunningPlatform, runningPlatforms } from './running-platforms.ts';
import { readAddress } from './server-address.ts';
import type { ServerOptions } from './server-options.ts';

export interface PlatformTarget {
  /** Without a slash at the end. */
  url: string;
  key: string | undefined;
  /** Where the key comes from, for messages; or where it was looked for. */
  keySource: string;
  /** Whether a platform of this machine has announced the address. Otherwise it was named or configured. */
  announced: boolean;
}

/** Finds the platform to talk to, and the key for it. It may turn out not to run. */
export async function findPlatform(options: ServerOptions): Promise<PlatformTarget> {
  const environment = processEnvironment();
  const named = options.server ?? addressIn(environment);
  if (named && hasCredentials(named)) {
    throw new StartupError(
      'the address of the platform must not contain a user name or password; pass the key with --key or ROUNDHOUSE_API_KEY',
    );
  }
  const config = await configFrom(options);
  const {
    url,
    dataDir,
    announced = false,
  } = named ? remote(named, config) : local(config, options, environment);
  if (options.key) return { url, key: options.key, keySource: '--key', announced };
  const key = environment.ROUNDHOUSE_API_KEY;
  if (key) return { url, key, keySource: 'ROUNDHOUSE_API_KEY', announced };
  // Keys of this machine are never sent to a server elsewhere.
  if (dataDir === undefined) return { url, key: undefined, keySource: 'none', announced };
  if (config.admin_token)
    return { url, key: config.admin_token, keySource: 'the setting admin_token', announced };
  return { url, key: readLocalKey(dataDir), keySource: `${dataDir}/admin-token`, announced };
}

function addressIn({ ROUNDHOUSE_URL: url }: Environment): string | undefined {
  if (!url || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url || undefined;
  throw new StartupError(`ROUNDHOUSE_URL: expected an address such as http://127.0.0.1:5500, got '${url}'`);
}

function hasCredentials(address: string): boolean {
  const url = URL.parse(address);
  return Boolean(url?.username || url?.password);
}

interface Place {
  url: string;
  /** Set if the platform is one of this machine, whose key may be used. */
  dataDir: string | undefined;
  announced?: boolean;
}

function remote(named: string, config: Config): Place {
  const url = withoutPath(named);
  const own = readAddress(config.data_dir);
  if (own && isSame(own, url)) return { url, dataDir: config.data_dir };
  return { url, dataDir: runningPlatforms().find(({ address }) => isSame(address, url))?.dataDir };
}

/** The platform of the data folder that was named or lies here, else the only one that this user runs. */
function local(config: Config, options: ServerOptions, environment: Environment): Place {
  const { data_dir, host, port = 5500 } = config;
  const own = readAddress(data_dir);
  if (own) return { url: own, dataDir: data_dir, announced: true };
  const configured = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const isNamed =
    options.dataDir !== undefined || Boolean(environment.ROUNDHOUSE_DATA_DIR) || data_dir !== resolve('data');
  const [first, ...others] = isNamed ? [] : managed(runningPlatforms());
  if (!first) return { url: configured, dataDir: data_dir };
  if (others.length === 0) return { url: first.address, dataDir: first.dataDir, announced: true };
  const list = [first, ...others].map(({ address, dataDir }) => `${address} (${dataDir})`).join(', ');
  throw new StartupError(`several platforms run on this machine; choose one with --server: ${list}`);
}

const managed = (platforms: RunningPlatform[]) =>
  platforms.filter(({ parts }) => parts.includes('management'));

/** Users copy addresses with `/v1` or a slash at the end. */
const withoutPath = (url: string) => url.replace(/\/+$/, '').replace(/\/v1$/, '');

const isSame = (one: string, other: string) => originOf(one) === originOf(other);

const originOf = (url: string) => new URL(url.replace('://localhost', '://127.0.0.1')).origin;
