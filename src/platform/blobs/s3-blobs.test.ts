import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirement } from '../../../test/testkit/requirement.ts';
import { describeBlobStore } from '../../../test/testkit/stores/blob-store-suite.ts';
import { type S3Server, seaweedfsBinary, startSeaweedfs } from '../../../test/testkit/stores/seaweedfs.ts';
import type { BlobStore } from './blob-store.ts';
import { openBlobs } from './open-blobs.ts';

const seaweedfs = await requirement('seaweedfs', async () => void (await seaweedfsBinary()));

describe.skipIf(!seaweedfs.available)('S3', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startSeaweedfs();
    await server.createBucket('roundhouse');
  });
  afterAll(() => server?.stop());

  const settings = () => ({
    endpoint: server.endpoint,
    region: 'us-east-1',
    access_key_id: server.accessKeyId,
    secret_access_key: server.secretAccessKey,
    force_path_style: true,
  });
  const open = (url: string) => openBlobs({ url, s3: settings() });

  describeBlobStore('blobs in a bucket', () => open('s3://roundhouse/some/prefix/'));

  describe('a failed upload', () => {
    let store: BlobStore;
    beforeAll(async () => {
      store = await open('s3://roundhouse/failed');
    });
    afterAll(() => store?.close());

    it('leaves neither an object nor parts of one', async () => {
      const uploads = async () =>
        (await server.client.send(new ListMultipartUploadsCommand({ Bucket: 'roundhouse' }))).Uploads ?? [];
      const controller = new AbortController();
      async function* source() {
        for (let index = 0; index < 40; index++) yield Buffer.alloc(1024 * 1024);
        expect(await uploads()).toHaveLength(1);
        controller.abort();
        await new Promise(() => {});
      }
      const putting = store.put('a/b', source(), { signal: controller.signal });
      await expect(putting).rejects.toMatchObject({ name: 'AbortError' });
      expect(await uploads()).toEqual([]);
      const objects = await server.client.send(
        new ListObjectsV2Command({ Bucket: 'roundhouse', Prefix: 'failed/' }),
      );
      expect(objects.Contents ?? []).toEqual([]);
    });
  });

  describe('openBlobs', () => {
    it('keeps two prefixes of a bucket apart', async () => {
      const [one, two] = [await open('s3://roundhouse/one'), await open('s3://roundhouse/one-more')];
      await one.put('x', [Buffer.from('1')]);
      expect(await two.head('x')).toBeUndefined();
      const listed: string[] = [];
      for await (const info of one.list('')) listed.push(info.key);
      expect(listed).toEqual(['x']);
      await Promise.all([one.close(), two.close()]);
    });

    it('says which bucket is missing', async () => {
      await expect(open('s3://nowhere')).rejects.toThrow(/'nowhere' does not exist/);
    });

    it('says that the key is refused, and does not show it', async () => {
      const s3 = { ...settings(), secret_access_key: 'wrong-secret' };
      const opening = openBlobs({ url: 's3://roundhouse', s3 });
      await expect(opening).rejects.toThrow(/refuses access .* check blobs\.s3\.access_key_id/);
      await expect(opening).rejects.not.toThrow(/wrong-secret/);
    });

    it('says that the server is silent, and does not wait for it', async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const s3 = { ...settings(), endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
      await expect(openBlobs({ url: 's3://roundhouse', s3 })).rejects.toThrow(/does not answer/);
      silent.close();
    });

    it('says that nobody answers', async () => {
      const s3 = { ...settings(), endpoint: 'http://127.0.0.1:1' };
      await expect(openBlobs({ url: 's3://roundhouse', s3 })).rejects.toThrow(/does not answer/);
    });
  });
});
