import { type Problem, UpstreamFailed } from '../../../contracts/problems.ts';
import { answerProblem } from '../http/answer-problem.ts';
import { discard } from '../http/close-answer.ts';
import { type Address, type HttpAnswer, headersFor, openAddress } from '../http/open-address.ts';

/** How a file's bytes are checked. The model hub gives small files the id that git gives them. */
export interface FileHash {
  algorithm: 'sha256' | 'git-sha1';
  hex: string;
}

/** A file on some server: all that the download engine knows of where it comes from. */
export interface RemoteFile extends Address {
  /** What messages call it. */
  name: string;
  /** Null where only the server's answer tells. */
  size: number | null;
  /** Null where nobody publishes one; the caller then checks what it takes out of the file. */
  hash: FileHash | null;
  /** Requests must go through a proxy, so no connections of our own are opened. */
  proxied?: boolean | undefined;
  /** The error for a refusal, where the source can say more than the status does. */
  problemOf?(answer: HttpAnswer): Problem;
}

/** Opens ranges of a remote file, and remembers what the answers tell about it. */
export class RemoteReader {
  readonly file: RemoteFile;
  /** The address after redirects, where ranges can be read; undefined while none have been. */
  #storage: string | undefined;
  #version: string | undefined;
  /** Whether the file changed on the server between two answers. */
  changed = false;

  constructor(file: RemoteFile) {
    this.file = file;
  }

  /** A strong ETag or a date that names the content; undefined where the server gives neither. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Asks for the bytes from `first` to `last`. A server without ranges answers 200 with the whole file. */
  async open(first: number, last: number, signal: AbortSignal): Promise<HttpAnswer> {
    const whole = first === 0 && last + 1 === this.file.size;
    const headers: Record<string, string> = whole ? {} : { range: `bytes=${first}-${last}` };
    const answer = await openAddress(this.file, { headers, signal });
    if (answer.status >= 300) {
      await discard(answer);
      throw this.file.problemOf?.(answer) ?? answerProblem(answer);
    }
    this.#storage = answer.status === 206 ? answer.url : undefined;
    const version = versionOf(answer);
    this.#version ??= version;
    this.changed ||= version !== undefined && version !== this.#version;
    return answer;
  }

  /** Where ranges can be read over a plain connection; null where that is left to the HTTP client. */
  get direct(): { url: URL; headers: Record<string, string> } | null {
    if (this.#storage === undefined || this.file.proxied) return null;
    // With a hash to check, a change is noticed at the end; mirrors of one file may disagree about its version.
    const ifRange: Record<string, string> =
      this.file.hash || !this.#version ? {} : { 'if-range': this.#version };
    return { url: new URL(this.#storage), headers: { ...headersFor(this.file, this.#storage), ...ifRange } };
  }
}

/** The first byte of an answer's body, and the size of the whole file where the server tells it. */
export function extentOf(answer: HttpAnswer): { first: number; size: number | null } {
  const { status, headers, url } = answer;
  if (status !== 206) {
    const length = headers['content-length'];
    return { first: 0, size: length === undefined ? null : Number(length) };
  }
  const [, first, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  if (first !== undefined) return { first: Number(first), size: size === '*' ? null : Number(size) };
  throw new UpstreamFailed(
    `${new URL(url).host} sent a range without its place ('${headers['content-range']}')`,
  );
}

function versionOf({ headers }: HttpAnswer): string | undefined {
  const { etag } = headers;
  return etag && !etag.startsWith('W/') ? etag : headers['last-modified'];
}
