import { devNull } from 'node:os';
import { type Environment, isSetting, variableOf } from './environment.ts';
import type { Config } from './resolve-config.ts';

type PodSettings = Pick<Config, 'data_dir' | 'hub' | 'http' | 'telemetry'>;

/**
 * The environment of a pod that the platform starts: of the settings those that concern it, wherever they came from,
 * and none that don't, such as the database's password. It reads no file: that may say something else.
 */
export function podEnvironment(
  { data_dir, hub, http, telemetry }: PodSettings,
  environment: Environment,
  /** What it tells the dispatcher of itself with. */
  key: string | undefined,
): Environment {
  const others = Object.entries(environment).filter(([name]) => !isSetting(name));
  const settings: [string[], string | number | undefined][] = [
    [['data_dir'], data_dir],
    [['admin_token'], key],
    [['http', 'body_limit'], http.body_limit],
    [['telemetry', 'log_format'], telemetry.log_format],
    [['telemetry', 'log_level'], telemetry.log_level],
  ];
  return {
    ...Object.fromEntries(others),
    // By the names that the hub's own tools know too: vLLM fetches by itself.
    HF_ENDPOINT: hub.endpoint,
    ...(hub.home ? { HF_HOME: hub.home } : {}),
    ...(hub.token ? { HF_TOKEN: hub.token } : {}),
    ROUNDHOUSE_CONFIG: devNull,
    ...Object.fromEntries(
      settings.flatMap(([path, value]) => (value === undefined ? [] : [[variableOf(path), String(value)]])),
    ),
  };
}
