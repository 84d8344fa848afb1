import { basename } from 'node:path';
import { StartupError } from '../../platform/startup-error.ts';
import { findPlatform, type PlatformTarget } from './find-platform.ts';
import { inWords } from './refusal.ts';
import type { ServerOptions } from './server-options.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Client of the running platform's management API. */
export interface ManagementApi {
  readonly target: PlatformTarget;
  /** `path` is relative to `/api/v1/`, or starts with a slash. */
  call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer>;
  /** Streams a file as the form field `file`. */
  upload<Answer>(path: string, file: string): Promise<Answer>;
  /** Sends a form. Files in it are streamed. */
  sendForm<Answer>(method: Method, path: string, form: FormData, signal?: AbortSignal): Promise<Answer>;
}

/** No platform answered; it may be restarting. */
export class PlatformUnreachable extends StartupError {
  constructor(url: string, reason: string, cause?: unknown) {
    super(
      `no platform is running at ${url} (${reason}); start one with 'roundhouse serve', or name another with --server or ROUNDHOUSE_URL`,
      { cause },
    );
  }
}

/** The platform answered with an error. */
export class Refused extends StartupError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Milliseconds for a whole answer, so that a server that never ends one does not hold a command for ever. */
const answerTimeout = 120_000;

export async function openManagement(options: ServerOptions): Promise<ManagementApi> {
  let target = await findPlatform(options);
  const send = async (path: string, request: RequestInit) => {
    const { url, key } = target;
    const headers = { ...request.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
    const address = `${url}${path.startsWith('/') ? path : `/api/v1/${path}`}`;
    const { status, ok, text } = await exchange(address, { ...request, headers }).catch(
      async (error: Error) => {
        if (request.signal?.aborted && error.name === 'AbortError') throw error;
        // A platform that restarts may have another port then. Until it is back, another may have the configured one.
        const now = await findPlatform(options).catch(() => target);
        if (now.announced) target = now;
        const cause = error.cause as { code?: string; message?: string } | undefined;
        const reason = cause?.code ?? cause?.message ?? error.message;
        throw new PlatformUnreachable(url, reason, error);
      },
    );
    const answer = parsed(text);
    if (ok && answer !== undefined) return answer as never;
    throw new Refused(status, explain(target, status, answer));
  };
  return {
    get target() {
      return target;
    },
    call: (method, path, body) =>
      send(path, {
        method,
        signal: AbortSignal.timeout(answerTimeout),
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
    sendForm: (method, path, form, signal) => send(path, { method, body: form, signal: signal ?? null }),
    async upload(path, file) {
      const form = new FormData();
      form.append('file', await contentOf(file), basename(file));
      return send(path, { method: 'POST', body: form });
    },
  };
}

async function exchange(url: string, request: RequestInit) {
  const response = await fetch(url, request);
  return { status: response.status, ok: response.ok, text: await response.text() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain({ url, key, keySource }: PlatformTarget, status: number, answer: unknown): string {
  const { detail: refusal, error } = (answer ?? {}) as { detail?: unknown; error?: unknown };
  // The document index and the chatbot say it as `error`.
  const detail = refusal ?? (typeof error === 'string' ? error : undefined);
  if (detail === undefined)
    return `${url} does not answer like a Roundhouse platform with this API (status ${status})`;
  if (status === 401 && key)
    return `${url} does not accept the key from ${keySource}: ${inWords(detail, status)}`;
  if (status !== 401) return inWords(detail, status);
  const lookedIn = keySource === 'none' ? '' : `; this user can't read ${keySource}`;
  return `${url} needs an API key for this: pass one with --key or set ROUNDHOUSE_API_KEY${lookedIn}`;
}

/** A blob that is read from disk while it is sent. */
export async function contentOf(file: string): Promise<Blob> {
  const { openAsBlob } = await import('node:fs');
  await requireReadable(file);
  return openAsBlob(file);
}

export async function requireReadable(file: string): Promise<void> {
  const { access, constants } = await import('node:fs/promises');
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(
      error.code === 'ENOENT' ? `no such file: ${file}` : `the file ${file} can't be read (${error.code})`,
    );
  });
}
