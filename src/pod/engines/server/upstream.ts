import { BadRequest, Conflict, NotFound, UpstreamFailed } from '../../../contracts/problems.ts';

/** Calls to the server's own endpoints, such as health. User requests are passed through elsewhere. */
export class Upstream {
  readonly baseUrl: string;
  readonly headers: Record<string, string>;

  constructor(baseUrl: string, key: string | undefined) {
    this.baseUrl = baseUrl;
    this.headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** Whether the server reports within `timeout` milliseconds that it is healthy. */
  async healthy(path: string, timeout: number): Promise<boolean> {
    try {
      const response = await this.#get(path, timeout);
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  /** The body of a successful response, or undefined. */
  async text(path: string, timeout: number): Promise<string | undefined> {
    try {
      const response = await this.#get(path, timeout);
      const body = await response.text();
      return response.ok ? body : undefined;
    } catch {
      return undefined;
    }
  }

  /** Posts JSON. An error response becomes the matching problem, with the server's own message. */
  async post(path: string, body: unknown, subject: { kind: string; id: string }): Promise<void> {
    const response = await fetch(this.baseUrl + path, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(120_000),
    }).catch((cause) => {
      throw new UpstreamFailed('The server behind the pod did not respond.', { cause });
    });
    const text = await response.text();
    if (response.ok) return;
    const message = messageOf(text) ?? `it responded with status ${response.status}`;
    if (response.status === 409) throw new Conflict(message);
    if (response.status === 404 && /cannot be found/.test(message))
      throw new NotFound(subject.kind, subject.id);
    if (response.status < 500) throw new BadRequest(`${subject.kind} '${subject.id}': ${message}`);
    throw new UpstreamFailed(`The server behind the pod failed: ${message}`);
  }

  #get(path: string, timeout: number): Promise<Response> {
    return fetch(this.baseUrl + path, { headers: this.headers, signal: AbortSignal.timeout(timeout) });
  }
}

function messageOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown };
    const message = typeof body.error === 'object' ? body.error.message : (body.error ?? body.message);
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
