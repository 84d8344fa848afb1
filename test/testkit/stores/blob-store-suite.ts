import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadRequest, NotFound } from '../../../src/contracts/problems.ts';
import type { BlobInfo, BlobStore } from '../../../src/platform/blobs/blob-store.ts';

const MB = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = (content: string) => [Buffer.from(content)];

/** Tests that every blob store must pass. `open` returns an empty store. */
export function describeBlobStore(name: string, open: () => Promise<BlobStore>): void {
  describe(name, () => {
    let store: BlobStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store?.close());

    const read = async (key: string, options?: Parameters<BlobStore['get']>[1]) =>
      buffer((await store.get(key, options)).body);
    const keys = async (prefix: string) => {
      const found: BlobInfo[] = [];
      for await (const info of store.list(prefix)) found.push(info);
      return found.map((info) => info.key).sort();
    };

    it('gives back what was put, with its size and hash', async () => {
      const content = Buffer.from('Здравствуй, мир');
      const stored = await store.put('greetings/hello.txt', [content.subarray(0, 5), content.subarray(5)]);
      expect(stored).toEqual({ size: content.length, sha256: sha256(content) });
      const blob = await store.get('greetings/hello.txt');
      expect(await buffer(blob.body)).toEqual(content);
      expect(blob).toMatchObject({ size: content.length, length: content.length });
      expect(Math.abs(blob.modifiedAt.getTime() - Date.now())).toBeLessThan(600_000);
    });

    it('takes a stream of many parts', async () => {
      const chunk = Buffer.alloc(MB + 7, 'part');
      const stored = await store.put('large', Readable.from(Array.from({ length: 40 }, () => chunk)));
      const whole = Buffer.concat(Array.from({ length: 40 }, () => chunk));
      expect(stored).toEqual({ size: whole.length, sha256: sha256(whole) });
      expect(sha256(await read('large'))).toBe(stored.sha256);
      expect(await read('large', { range: { start: 33 * MB, end: 33 * MB + 99 } })).toEqual(
        whole.subarray(33 * MB, 33 * MB + 100),
      );
    });

    it('takes bytes of any kind, and no text', async () => {
      await store.put('bytes', [new Uint8Array([1, 2]), new Uint8Array(0), Buffer.from([3])]);
      expect([...(await read('bytes'))]).toEqual([1, 2, 3]);
      const decoded = Readable.from([Buffer.from('x')], { objectMode: false }).setEncoding('utf8');
      await expect(store.put('bytes', decoded)).rejects.toThrow('blob content must be bytes');
      expect([...(await read('bytes'))]).toEqual([1, 2, 3]);
    });

    it('holds an empty blob', async () => {
      expect(await store.put('empty', [])).toEqual({ size: 0, sha256: sha256(Buffer.alloc(0)) });
      expect(await store.head('empty')).toMatchObject({ key: 'empty', size: 0 });
      expect(await read('empty')).toEqual(Buffer.alloc(0));
    });

    it('reads byte ranges', async () => {
      await store.put('digits', text('0123456789'));
      const blob = await store.get('digits', { range: { start: 2, end: 4 } });
      expect(blob).toMatchObject({ size: 10, length: 3 });
      expect(String(await buffer(blob.body))).toBe('234');
      expect(String(await read('digits', { range: { start: 0, end: 0 } }))).toBe('0');
      expect(String(await read('digits', { range: { start: 7 } }))).toBe('789');
      expect(String(await read('digits', { range: { start: 8, end: 500 } }))).toBe('89');
    });

    it.each([{ start: 10 }, { start: 5, end: 4 }, { start: -3 }, { start: 0.5 }])(
      'refuses the range %o of ten bytes',
      async (range) => {
        await store.put('digits', text('0123456789'));
        await expect(store.get('digits', { range })).rejects.toMatchObject({
          status: 400,
          code: 'range_not_satisfiable',
        });
      },
    );

    it('replaces', async () => {
      await store.put('replaced', text('the first, which is longer'));
      await store.put('replaced', text('second'));
      expect(String(await read('replaced'))).toBe('second');
    });

    it('goes on reading the old content while it is replaced', async () => {
      const old = Buffer.alloc(3 * MB, 'old ');
      await store.put('read-while-replaced', [old]);
      const { body } = await store.get('read-while-replaced');
      await store.put('read-while-replaced', text('new'));
      expect(sha256(await buffer(body))).toBe(sha256(old));
      expect(String(await read('read-while-replaced'))).toBe('new');
    });

    it('ends with one whole content where many put at once', async () => {
      const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(300_000, `${index}`));
      await Promise.all(contents.map((content) => store.put('contended', [content])));
      const final = sha256(await read('contended'));
      expect(contents.map(sha256)).toContain(final);
    });

    it('says not found, and deletes what is not there in silence', async () => {
      expect(await store.head('absent/file')).toBeUndefined();
      await expect(store.get('absent/file')).rejects.toThrow(NotFound);
      await store.delete('absent/file');
      await store.put('greetings/in-folder', text('x'));
      await expect(store.get('greetings')).rejects.toThrow(NotFound);
      expect(await store.head('greetings')).toBeUndefined();
      await store.delete('greetings');
      expect(await store.head('greetings/in-folder')).toMatchObject({ size: 1 });
    });

    it('deletes', async () => {
      await store.put('gone/deeply/nested', text('x'));
      await store.delete('gone/deeply/nested');
      expect(await store.head('gone/deeply/nested')).toBeUndefined();
      expect(await keys('gone/')).toEqual([]);
    });

    it('lists by prefix, over more than one page', async () => {
      const names = Array.from({ length: 1050 }, (_, index) => `list/many/${String(index).padStart(4, '0')}`);
      for (let start = 0; start < names.length; start += 50) {
        await Promise.all(names.slice(start, start + 50).map((key) => store.put(key, text('x'))));
      }
      await store.put('list/man', text('y'));
      await store.put('list/мир.txt', text('z'));
      expect(await keys('list/many/')).toEqual(names);
      expect(await keys('list/many/00')).toEqual(names.slice(0, 100));
      expect(await keys('list/man')).toEqual(['list/man', ...names]);
      expect(await keys('list/м')).toEqual(['list/мир.txt']);
      expect(await keys('lis')).toHaveLength(1052);
      expect(await keys('list/none')).toEqual([]);
      expect(await keys('list/man/x')).toEqual([]);
      for await (const info of store.list('list/мир')) {
        expect(info).toEqual({ key: 'list/мир.txt', size: 1, modifiedAt: expect.any(Date) });
      }
    });

    it.each([
      'Договор № 5 (копия).docx',
      'a b/c  d',
      'quote\'and"double',
      'percent%20and+plus&and?question#hash',
      '.hidden',
      'ends.',
      '日本語/😀.txt',
      `${'я'.repeat(127)}`,
      `${'long/'.repeat(150)}end`,
    ])('takes the key %s', async (key) => {
      await store.put(key, text(key));
      expect(String(await read(key))).toBe(key);
      expect(await keys(key)).toEqual([key]);
      await store.delete(key);
      expect(await keys(key)).toEqual([]);
    });

    it.each([
      '',
      '/absolute',
      '../up',
      'a/../../up',
      'a/..',
      './a',
      'a/./b',
      'a//b',
      'folder/',
      'back\\slash',
      'nul\0',
      'line\nbreak',
      'lone\ud800',
      'x'.repeat(256),
      'long/'.repeat(200),
    ])('refuses the key %j', async (key) => {
      await expect(store.put(key, text('x'))).rejects.toThrow(BadRequest);
      await expect(store.get(key)).rejects.toThrow(BadRequest);
      await expect(store.head(key)).rejects.toThrow(BadRequest);
      await expect(store.delete(key)).rejects.toThrow(BadRequest);
    });

    it.each(['../', 'a/../', '/', 'nul\0'])('refuses the prefix %j', async (prefix) => {
      await expect(store.list(prefix).next()).rejects.toThrow(BadRequest);
    });

    it.each([1, 40])('keeps the old content where the source fails after %i MB', async (megabytes) => {
      await store.put('source-fails', text('old'));
      async function* failing() {
        for (let index = 0; index < megabytes; index++) yield Buffer.alloc(MB);
        throw new Error('the source broke');
      }
      await expect(store.put('source-fails', failing())).rejects.toThrow('the source broke');
      expect(String(await read('source-fails'))).toBe('old');
    });

    it.each([0, 40])(
      'stops a put that is aborted after %i MB, even where the source is stuck',
      async (megabytes) => {
        const source = new PassThrough();
        const controller = new AbortController();
        const putting = store.put('aborted', source, { signal: controller.signal });
        const outcome = putting.catch((error) => error);
        for (let index = 0; index < megabytes; index++) {
          if (!source.write(Buffer.alloc(MB))) await new Promise((resolve) => source.once('drain', resolve));
        }
        controller.abort(new Error('the client left'));
        expect(await outcome).toMatchObject({ message: 'the client left' });
        expect(await store.head('aborted')).toBeUndefined();
        expect(source.destroyed).toBe(true);
      },
    );

    it('does not begin what is already aborted', async () => {
      const signal = AbortSignal.abort(new Error('too late'));
      await expect(store.put('late', text('x'), { signal })).rejects.toThrow('too late');
      await expect(store.get('empty', { signal })).rejects.toThrow('too late');
      expect(await store.head('late')).toBeUndefined();
    });

    it('stops a get that is aborted', async () => {
      await store.put('abort-get', [Buffer.alloc(30 * MB)]);
      const controller = new AbortController();
      const { body } = await store.get('abort-get', { signal: controller.signal });
      const reading = (async () => {
        for await (const _ of body) controller.abort();
      })();
      await expect(reading).rejects.toThrow();
      expect(body.destroyed).toBe(true);
    });

    it('puts and gets 200 MB without holding them in memory', async () => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      let peak = 0;
      const watch = () => {
        peak = Math.max(peak, process.memoryUsage().rss);
      };
      async function* source() {
        for (let index = 0; index < 3200; index++) {
          if (index % 100 === 0) watch();
          yield chunk;
        }
      }
      const before = process.memoryUsage().rss;
      await store.put('huge', source());
      let length = 0;
      for await (const piece of (await store.get('huge')).body) {
        length += piece.length;
        watch();
      }
      expect(length).toBe(200 * MB);
      expect((peak - before) / MB).toBeLessThan(190);
      await store.delete('huge');
    });

    it('says that it works', async () => {
      await store.check();
    });
  });
}
