import { basename } from 'node:path';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';
import { type ConfigOptions, configFrom } from '../terminal/config-options.ts';
import { readLocalKey } from './local-key.ts';
import { platformAddress } from './server-address.ts';

type Method = 'GET' | 'POST' | 'DELETE';

/** Client of the running platform's management API; sends the admin key if it is known. */
export interface ManagementApi {
  /** `path` is relative to `/api/v1/`, or starts with a slash. */
  call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer>;
  /** Streams a file as the form field `file`. */
  upload<Answer>(path: string, file: string): Promise<Answer>;
}

/** No platform answered; it may be restarting. */
export class PlatformUnreachable extends StartupError {}

/** The platform answered with an error. */
export class Refused extends StartupError {
  readonly status: number;
  /** What is wrong with the request, field by field. */
  readonly issues: readonly { loc: (string | number)[]; msg: string }[];

  constructor(status: number, message: string, issues: Refused['issues'] = []) {
    super(message);
    this.status = status;
    this.issues = issues;
  }
}

export async function openManagement(options: ConfigOptions): Promise<ManagementApi> {
  return managementApi(await configFrom(options), options);
}

export function managementApi(config: Config, options: ConfigOptions = {}): ManagementApi {
  const key = config.admin_token ?? readLocalKey(config.data_dir);
  const send = async (path: string, request: RequestInit) => {
    const headers = { ...request.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
    const address = platformAddress(config, options);
    const url = `${address}${path.startsWith('/') ? path : `/api/v1/${path}`}`;
    const response = await fetch(url, { ...request, headers }).catch((error: Error) => {
      const cause = (error.cause as { code?: string } | undefined)?.code ?? error.message;
      throw new PlatformUnreachable(
        `can't connect to a platform at ${address} (${cause}); start one with 'roundhouse serve'`,
      );
    });
    const answer = (await response.json().catch(() => ({}))) as { detail?: unknown };
    if (response.status === 404 && answer.detail === undefined) {
      throw new Refused(
        404,
        `the process at ${address} does not serve the management API: name the one that does with --host and --port`,
      );
    }
    if (!response.ok) {
      const issues = Array.isArray(answer.detail) ? (answer.detail as Refused['issues']) : [];
      throw new Refused(response.status, inWords(answer.detail, response.status), issues);
    }
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
      const form = new FormData();
      form.append('file', await contentOf(file), basename(file));
      return send(path, { method: 'POST', body: form });
    },
  };
}

/** A blob that is read from disk while it is sent. */
async function contentOf(file: string): Promise<Blob> {
  const { openAsBlob } = await import('node:fs');
  const { access, constants } = await import('node:fs/promises');
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(
      error.code === 'ENOENT' ? `no such file: ${file}` : `the file ${file} can't be read (${error.code})`,
    );
  });
  return openAsBlob(file);
}

function inWords(detail: unknown, status: number): string {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return `the platform answered ${status}`;
  return detail.map(({ loc, msg }) => `${[loc].flat().slice(1).join('.')}: ${msg}`).join('; ');
}
