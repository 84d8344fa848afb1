import { basename } from 'node:path';
import type { Config } from '../platform/config/resolve-config.ts';
import { StartupError } from '../platform/startup-error.ts';
import { readLocalKey } from './local-key.ts';
import { platformAddress } from './server-address.ts';

type Method = 'GET' | 'POST' | 'DELETE';

/** The running platform's management API, with the admin key where there is one. */
export interface ManagementApi {
  /** `path` is below `/api/v1/`, or begins with a slash. */
  call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer>;
  /** Sends a file as it is read, as the field `file` of a form. */
  upload<Answer>(path: string, file: string): Promise<Answer>;
}

export function managementApi(config: Config): ManagementApi {
  const address = platformAddress(config);
  const key = config.admin_token ?? readLocalKey(config.data_dir);
  const send = async (path: string, request: RequestInit) => {
    const headers = { ...request.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
    const url = `${address}${path.startsWith('/') ? path : `/api/v1/${path}`}`;
    const response = await fetch(url, { ...request, headers }).catch((error: Error) => {
      const cause = (error.cause as { code?: string } | undefined)?.code ?? error.message;
      throw new StartupError(`no platform answers at ${address} (${cause}); 'roundhouse serve' starts one`);
    });
    const answer = (await response.json().catch(() => ({}))) as { detail?: unknown };
    if (!response.ok) throw new StartupError(inWords(answer.detail, response.status));
    return answer as never;
  };
  return {
    call: (method, path, body) =>
      send(path, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
    async upload(path, file) {
      const { openAsBlob } = await import('node:fs');
      const form = new FormData();
      form.append('file', await openAsBlob(file), basename(file));
      return send(path, { method: 'POST', body: form });
    },
  };
}

function inWords(detail: unknown, status: number): string {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return `the platform answered ${status}`;
  return detail.map(({ loc, msg }) => `${[loc].flat().slice(1).join('.')}: ${msg}`).join('; ');
}
