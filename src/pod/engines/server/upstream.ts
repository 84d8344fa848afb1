import { BadRequest, Conflict, NotFound, UpstreamFailed } from '../../../contracts/problems.ts';

/** Calls about the server itself, not the users' requests: those are passed through elsewhere. */
export class Upstream {
  readonly baseUrl: string;
  readonly headers: Record<string, string>;

  constructor(baseUrl: string, key: string | undefined) {
    this.baseUrl = baseUrl;
    this.headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** True if it says within `timeout` milliseconds that it is well. */
  async healthy(path: string, timeout: number): Promise<boolean> {
    try {
      const response = await this.#get(path, timeout);
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  /** The body of an answer, or undefined where there was none. */
  async text(path: string, timeout: number): Promise<string | undefined> {
    try {
      const response = await this.#get(path, timeout);
      const body = await response.text();
      return response.ok ? body : undefined;
    } catch {
      return undefined;
    }
  }

  /** Posts JSON; a refusal becomes the problem it stands for, in the server's own words. */
  async post(path: string, body: unknown, subject: { kind: string; id: string }): Promise<void> {
    const response = await fetch(this.baseUrl + path, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(120_000),
    }).catch((cause) => {
      throw new UpstreamFailed('The server behind the pod did not answer.', { cause });
    });
    const text = await response.text();
    if (response.ok) return;
    const words = messageOf(text) ?? `it answered ${response.status}`;
    if (response.status === 409) throw new Conflict(words);
    if (response.status === 404 && /cannot be found/.test(words))
      throw new NotFound(subject.kind, subject.id);
    if (response.status < 500) throw new BadRequest(`${subject.kind} '${subject.id}': ${words}`);
    throw new UpstreamFailed(`The server behind the pod failed: ${words}`);
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
