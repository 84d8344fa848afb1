import type { Config } from '../platform/config/resolve-config.ts';
import { StartupError } from '../platform/startup-error.ts';
import { readLocalKey } from './local-key.ts';
import { platformAddress } from './server-address.ts';

type Method = 'GET' | 'POST' | 'DELETE';

/** The running platform's management API, with the admin key where there is one. */
export interface ManagementApi {
  call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer>;
}

export function managementApi(config: Config): ManagementApi {
  const address = platformAddress(config);
  const key = config.admin_token ?? readLocalKey(config.data_dir);
  return {
    async call(method, path, body) {
      const response = await fetch(`${address}/api/v1/${path}`, {
        method,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((error: Error) => {
        const cause = (error.cause as { code?: string } | undefined)?.code ?? error.message;
        throw new StartupError(`no platform answers at ${address} (${cause}); 'roundhouse serve' starts one`);
      });
      const answer = (await response.json().catch(() => ({}))) as { detail?: unknown };
      if (!response.ok) throw new StartupError(inWords(answer.detail, response.status));
      return answer as never;
    },
  };
}

function inWords(detail: unknown, status: number): string {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return `the platform answered ${status}`;
  return detail.map(({ loc, msg }) => `${[loc].flat().slice(1).join('.')}: ${msg}`).join('; ');
}
