import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** A file's content, or its path on disk. */
type Content = Buffer | { file: string; size: number; sha256: string };

export interface HubRepositoryOptions {
  files: Record<string, Content | string>;
  commit?: string;
  /** Branches and tags in addition to `main`. */
  revisions?: string[];
  gated?: boolean;
  private?: boolean;
  license?: string;
  pipelineTag?: string;
  library?: string;
  /** Emulates a mirror whose listing contains only names. */
  bareListing?: boolean;
  /** Sizes that the listing claims, by path. */
  claimedSizes?: Record<string, number>;
}

/** A fault to inject into a request. */
export interface Fault {
  status?: number;
  headers?: Record<string, string>;
  /** Closes the connection after this many bytes of the body. */
  cutAfter?: number;
  /** Sends only this many bytes every 20 ms. */
  trickle?: number;
  /** Sends headers but no body. */
  stall?: boolean;
  /** A JSON text that never ends, as fast as it is read. */
  endless?: boolean;
  /** One byte of a text that never ends, every 20 ms. */
  drip?: boolean;
  /** Whole kilobytes of a header. */
  headerKilobytes?: number;
  /** Changes one byte. */
  corrupt?: boolean;
  /** Closes the connection after the answer without announcing it. */
  hangUp?: boolean;
}

export interface SeenRequest {
  server: 'hub' | 'storage';
  path: string;
  range: string | undefined;
  authorization: string | undefined;
}

/** Files with these extensions are large, and stored on a host that the hub redirects to. */
const inStorage = /\.(safetensors|gguf|onnx|bin)$/;

/**
 * A model hub that behaves like the public one: listings with hashes, redirects to signed URLs on a storage host,
 * ranges, ETags, and error codes in headers.
 */
export class HubServer {
  readonly repositories = new Map<string, HubRepositoryOptions>();
  readonly requests: SeenRequest[] = [];
  /** Number of file bytes sent by the storage. */
  sent = 0;
  /** The token that may read private and gated repositories. */
  token = 'hf_good';
  /** URL of the storage that the hub redirects to. Default: its own. */
  storage: string | undefined;
  fault: (request: SeenRequest) => Fault | undefined = () => undefined;
  #hub: Server;
  #storage: Server;
  #signature = 1;
  #ports = [0, 0];

  constructor() {
    this.#hub = createServer((request, response) => this.#serve('hub', request, response));
    this.#storage = createServer((request, response) => this.#serve('storage', request, response));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  async start(): Promise<this> {
    this.#ports = await Promise.all(
      [this.#hub, this.#storage].map((server, at) => listen(server, this.#ports[at] ?? 0)),
    );
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#hub, this.#storage].map(close));
  }

  /** Stops and starts again on the same addresses. */
  async restart(): Promise<void> {
    await this.stop();
    this.#hub = createServer((request, response) => this.#serve('hub', request, response));
    this.#storage = createServer((request, response) => this.#serve('storage', request, response));
    await this.start();
  }

  /** Invalidates all storage URLs issued so far. */
  expireAddresses(): void {
    this.#signature++;
  }

  #serve(server: 'hub' | 'storage', request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '');
    const { range, authorization } = request.headers;
    const seen = { server, path, range, authorization };
    this.requests.push(seen);
    const fault = this.fault(seen) ?? {};
    if (fault.status) {
      response.writeHead(fault.status, fault.headers).end('{"error":"made to fail"}');
      return;
    }
    if (fault.headerKilobytes) {
      response.writeHead(200, { 'x-padding': 'x'.repeat(fault.headerKilobytes * 1024) }).end('{}');
      return;
    }
    if (fault.endless || fault.drip) {
      response.writeHead(200, { 'content-type': 'application/json' });
      void pipeline(Readable.from(endless(fault)), response).catch(() => {});
      return;
    }
    if (server === 'hub' && path === '/api/models') {
      const words = new URL(request.url ?? '', 'http://hub').searchParams.get('search') ?? '';
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(this.#search(words)));
      return;
    }
    if (server === 'storage') this.#answerStorage(request, response, fault);
    else this.#answerHub(path, request, response, fault);
  }

  #search(words: string) {
    return [...this.repositories]
      .filter(([name, { private: hidden }]) => !hidden && name.toLowerCase().includes(words.toLowerCase()))
      .map(([id, { pipelineTag, license }]) => ({
        id,
        downloads: 1_234,
        pipeline_tag: pipelineTag,
        tags: ['gguf', ...(license ? [`license:${license}`] : [])],
      }));
  }

  #answerHub(path: string, request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const api = /^\/api\/models\/(.+)\/revision\/(.+)$/.exec(path);
    const resolve = /^\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(path);
    const [, name = '', revision = '', file = ''] = api ?? resolve ?? [];
    const repository = this.repositories.get(name);
    const token = request.headers.authorization?.replace('Bearer ', '');
    if (token !== undefined && token !== this.token && token !== 'hf_stranger') {
      refuse(response, 401, undefined, 'Invalid credentials in Authorization header');
      return;
    }
    if (!repository || (repository.private && token !== this.token)) {
      refuse(response, token ? 404 : 401, token ? 'RepoNotFound' : undefined, 'Repository not found');
      return;
    }
    const commit = commitOf(repository);
    if (!['main', commit, ...(repository.revisions ?? [])].includes(revision)) {
      refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
      return;
    }
    if (api) {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (fault.stall) response.flushHeaders();
      else response.end(JSON.stringify(describe(name, repository)));
      return;
    }
    if (repository.gated && token !== this.token) {
      refuse(response, token ? 403 : 401, 'GatedRepo', 'Access to this model is restricted.');
      return;
    }
    const content = repository.files[file];
    if (content === undefined) {
      refuse(response, 404, 'EntryNotFound', 'Entry not found');
      return;
    }
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const etag = `"${hashOf(file, bytes)}"`;
    if (inStorage.test(file)) {
      response
        .writeHead(302, {
          location: `${this.storage ?? `http://127.0.0.1:${this.#ports[1]}`}/${name}/${file}?Signature=${this.#signature}`,
          'x-repo-commit': commit,
          'x-linked-etag': etag,
          'x-linked-size': String(sizeOf(bytes)),
        })
        .end('Found. Redirecting.');
      return;
    }
    void sendBytes(request, response, bytes, { etag, 'x-repo-commit': commit }, fault);
  }

  #answerStorage(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const url = new URL(request.url ?? '', 'http://storage');
    const [, name = '', file = ''] = /^\/([^/]+\/[^/]+)\/(.+)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    const content = this.repositories.get(name)?.files[file];
    // Like the real storage, rejects requests with the hub's token as well as expired URLs.
    if (url.searchParams.get('Signature') !== String(this.#signature) || request.headers.authorization) {
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      return;
    }
    if (content === undefined || typeof content === 'string') {
      response.writeHead(404).end();
      return;
    }
    void sendBytes(request, response, content, { etag: '"storage-own"' }, fault, (count) => {
      this.sent += count;
    });
  }
}

export const startHub = (): Promise<HubServer> => new HubServer().start();

export const commitOf = (repository: HubRepositoryOptions): string =>
  repository.commit ??
  createHash('sha1')
    .update(JSON.stringify(Object.keys(repository.files)))
    .digest('hex');

function describe(name: string, repository: HubRepositoryOptions) {
  return {
    id: name,
    sha: commitOf(repository),
    private: repository.private ?? false,
    gated: repository.gated ? 'manual' : false,
    pipeline_tag: repository.pipelineTag,
    library_name: repository.library,
    cardData: repository.license ? { license: repository.license } : undefined,
    siblings: Object.entries(repository.files).map(([rfilename, content]) => {
      if (repository.bareListing) return { rfilename };
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const size = repository.claimedSizes?.[rfilename] ?? sizeOf(bytes);
      if (!inStorage.test(rfilename)) return { rfilename, size, blobId: hashOf(rfilename, bytes) };
      const lfs = { sha256: hashOf(rfilename, bytes), size, pointerSize: 134 };
      return { rfilename, size, blobId: '0'.repeat(40), lfs };
    }),
  };
}

const sizeOf = (content: Content) => (Buffer.isBuffer(content) ? content.length : content.size);

export function hashOf(path: string, content: Content): string {
  if (!Buffer.isBuffer(content)) return content.sha256;
  if (inStorage.test(path)) return createHash('sha256').update(content).digest('hex');
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function refuse(response: ServerResponse, status: number, code: string | undefined, message: string): void {
  response
    .writeHead(status, { 'x-error-message': message, ...(code ? { 'x-error-code': code } : {}) })
    .end(JSON.stringify({ error: message }));
}

async function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  content: Content,
  headers: Record<string, string>,
  fault: Fault,
  count: (bytes: number) => void = () => {},
): Promise<void> {
  const size = sizeOf(content);
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const first = Number(asked?.[1] ?? 0);
  const last = asked?.[2] ? Math.min(Number(asked[2]), size - 1) : size - 1;
  if (asked && first >= size) {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return;
  }
  response.writeHead(asked ? 206 : 200, {
    ...headers,
    'accept-ranges': 'bytes',
    'content-length': last - first + 1,
    ...(asked ? { 'content-range': `bytes ${first}-${last}/${size}` } : {}),
  });
  if (fault.hangUp) response.once('finish', () => request.socket.end());
  if (fault.stall) {
    response.flushHeaders();
    return;
  }
  const stream = Buffer.isBuffer(content)
    ? Readable.from(inChunks(content.subarray(first, last + 1), fault))
    : createReadStream(content.file, { start: first, end: last, highWaterMark: 2 ** 18 });
  stream.on('data', (chunk: Buffer) => count(chunk.length));
  const limit = fault.cutAfter;
  if (limit !== undefined) {
    let sent = 0;
    stream.on('data', (chunk: Buffer) => {
      sent += chunk.length;
      if (sent >= limit) setImmediate(() => response.destroy());
    });
  }
  await pipeline(stream, response).catch(() => {});
}

async function* endless({ drip }: Fault): AsyncGenerator<string> {
  yield '{"siblings":[';
  for (;;) {
    yield drip ? ' ' : '{"rfilename":"x"},'.repeat(4_000);
    if (drip) await wait(20);
  }
}

async function* inChunks(bytes: Buffer, fault: Fault): AsyncGenerator<Buffer> {
  const step = fault.trickle ?? 2 ** 16;
  for (let at = 0; at < bytes.length; at += step) {
    const chunk = Buffer.from(bytes.subarray(at, at + step));
    if (fault.corrupt && at === 0) chunk[0] = (chunk[0] ?? 0) ^ 1;
    if (fault.trickle) await wait(20);
    yield chunk;
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}
