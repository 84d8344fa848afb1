import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { processEnvironment } from '../../platform/config/environment.ts';
import { isLoopback } from '../../platform/config/resolve-platform.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { programVersion } from '../../platform/version.ts';
import type { Config } from '../../settings.ts';
import type { JoinedPlace } from '../joining/join-platform.ts';
import type { PlatformToJoin } from '../joining/platform-client.ts';
import { readLocalKey } from '../server/local-key.ts';
import { readAddress } from '../server/server-address.ts';
import { engineEnvironment } from './engine-environment.ts';

export interface PodFlags {
  engine?: string;
  task?: string;
  model: string;
  modelName?: string;
  servedModelName?: string;
  adapter: { name: string; path: string }[];
  dtype?: string;
  quantization?: string;
  maxModelLen?: number;
  gpuMemoryUtilization?: number;
  tensorParallel?: number;
  threads?: number;
  parallel?: number;
  engineCommand?: string;
  host?: string;
  port: number;
  advertise?: string;
  dispatcher?: string;
  join?: string;
  key?: string;
  podId?: string;
  config?: string;
  dataDir?: string;
}

/** What a pod is started with, from the flags, the settings and, with `--join`, the platform. */
export async function podOptions(flags: PodFlags, extra: string[], config: Config) {
  const { startLogging } = await import('../../platform/telemetry/start-telemetry.ts');
  const { tellLauncher } = await import('../../pod/process/launcher-channel.ts');
  const { findModel } = await import('./find-model.ts');
  const place = await placeOf(flags, config);
  const found = await findModel(flags, config, { own: ownPlatform(flags, config), joined: place.platform });
  return {
    ...found,
    ...(flags.modelName ? { model_name: flags.modelName } : {}),
    pod_id: place.podId ?? `${found.served_model_name}-${randomBytes(3).toString('hex')}`,
    adapters: flags.adapter.map(({ name, path }) => ({ name, path: resolve(path) })),
    dtype: flags.dtype,
    quantization: flags.quantization ?? found.quantization,
    max_model_len: flags.maxModelLen,
    threads: flags.threads,
    parallel: flags.parallel,
    gpu_memory_utilization: flags.gpuMemoryUtilization,
    tensor_parallel: flags.tensorParallel,
    engine_command: flags.engineCommand,
    extra_arguments: extra,
    host: place.host,
    port: place.port,
    advertise: place.advertise,
    dispatcher: place.dispatcher,
    dispatcher_key: keyFor(flags, place.dispatcher, config),
    secret: place.secret,
    upstream_key: processEnvironment().OPENAI_API_KEY,
    environment: engineEnvironment(processEnvironment()),
    log: (line: string) => process.stdout.write(`${line}\n`),
    gpu_id: processEnvironment().CUDA_VISIBLE_DEVICES,
    report_interval: 5_000,
    body_limit: config.http.body_limit,
    version: programVersion,
    logger: startLogging(config.telemetry, 'pod'),
    onProgress: (text: string) => {
      tellLauncher({ kind: 'progress', text });
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
    },
  };
}

/** Where the pod listens, and whom it reports to. With `--join` the platform has been reached, and has reached it. */
async function placeOf(flags: PodFlags, config: Config): Promise<JoinedPlace> {
  if (flags.join === undefined) {
    const { host = '127.0.0.1', port, advertise, dispatcher, podId } = flags;
    return { host, port, advertise, dispatcher, podId, secret: config.pod.secret };
  }
  if (flags.dispatcher !== undefined) throw new StartupError('use --join or --dispatcher, not both');
  const { joinPlatform } = await import('../joining/join-platform.ts');
  return joinPlatform(flags as PodFlags & { join: string }, {
    key: keyFor(flags, flags.join, config),
    secret: config.pod.secret,
  });
}

/** The platform whose library has the models of this data folder. */
function ownPlatform(flags: PodFlags, config: Config): PlatformToJoin | undefined {
  const url = flags.dispatcher ?? readAddress(config.data_dir);
  return url === undefined ? undefined : { url, key: keyFor(flags, url, config) };
}

/** Uses the local admin key only for a platform on this machine; any other needs a configured key. */
export function keyFor(flags: PodFlags, platform: string | undefined, config: Config): string | undefined {
  const configured = flags.key ?? config.pod.key ?? config.admin_token;
  if (configured || !platform) return configured;
  return isLoopback(new URL(platform).hostname) ? readLocalKey(config.data_dir) : undefined;
}
