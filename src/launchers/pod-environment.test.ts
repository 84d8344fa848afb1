import { describe, expect, it } from 'vitest';
import { loadConfig } from '../settings.ts';
import { podEnvironment } from './pod-environment.ts';

const platform = {
  PATH: '/bin',
  ROUNDHOUSE_HOST: '0.0.0.0',
  ROUNDHOUSE_ADMIN_TOKEN: 'rh-admin-token',
  ROUNDHOUSE_DATABASE_URL: 'postgres://user:password@host/name',
  ROUNDHOUSE_TELEMETRY_LOG_LEVEL: 'info',
  HF_TOKEN: 'hf_environment',
};
const flags = {
  'telemetry.log_level': 'debug',
  'http.body_limit': '1MiB',
  'hub.home': '/models',
  'hub.token': 'hf_flag',
  data_dir: '/data',
};

describe('podEnvironment', () => {
  const config = loadConfig({ environment: platform, workingDirectory: '/nowhere', flags });
  const environment = podEnvironment(config, platform);

  it('contains the settings that concern a pod, whatever their source', () => {
    expect(loadConfig({ environment, workingDirectory: '/nowhere' })).toMatchObject({
      data_dir: '/data',
      http: { body_limit: 2 ** 20 },
      hub: { home: '/models', token: 'hf_flag' },
      telemetry: { log_level: 'debug', log_format: 'auto' },
    });
  });

  it('omits other settings and keeps the rest of the environment', () => {
    expect(environment.PATH).toBe('/bin');
    expect(environment.ROUNDHOUSE_HOST).toBeUndefined();
    expect(JSON.stringify(environment)).not.toContain('password');
    expect(JSON.stringify(environment)).not.toContain('rh-admin-token');
  });
});
