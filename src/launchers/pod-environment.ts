import { devNull } from 'node:os';
import { type Environment, isSetting, variableOf } from '../platform/config/environment.ts';
import type { PlatformConfig } from '../platform/config/resolve-platform.ts';

/** The settings that concern a pod. */
export interface PodSettings extends Pick<PlatformConfig, 'data_dir' | 'http' | 'telemetry'> {
  hub: { endpoint: string; home?: string | undefined; token?: string | undefined };
}

/**
 * The environment of every pod that the platform starts: the settings that concern pods, wherever they came from, and
 * no others, such as the admin key or the database password. Pods read no configuration file, which might differ.
 */
export function podEnvironment(
  { data_dir, hub, http, telemetry }: PodSettings,
  environment: Environment,
): Environment {
  const others = Object.entries(environment).filter(([name]) => !isSetting(name));
  const settings: [string[], string | number | undefined][] = [
    [['data_dir'], data_dir],
    [['http', 'body_limit'], http.body_limit],
    [['telemetry', 'log_format'], telemetry.log_format],
    [['telemetry', 'log_level'], telemetry.log_level],
  ];
  return {
    ...Object.fromEntries(others),
    // vLLM downloads models itself and reads these variables.
    HF_ENDPOINT: hub.endpoint,
    ...(hub.home ? { HF_HOME: hub.home } : {}),
    ...(hub.token ? { HF_TOKEN: hub.token } : {}),
    ROUNDHOUSE_CONFIG: devNull,
    ...Object.fromEntries(
      settings.flatMap(([path, value]) => (value === undefined ? [] : [[variableOf(path), String(value)]])),
    ),
  };
}
