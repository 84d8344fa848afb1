import type { Environment } from '../../platform/config/environment.ts';

/** Keys for the platform, which the programs that a pod starts do not need. */
const keys = new Set([
  'ROUNDHOUSE_ADMIN_TOKEN',
  'ROUNDHOUSE_API_KEY',
  'ROUNDHOUSE_POD_KEY',
  'ROUNDHOUSE_POD_SECRET',
]);

export function engineEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !keys.has(name)));
}
