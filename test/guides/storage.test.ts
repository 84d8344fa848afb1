import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { requirement } from '../testkit/requirement.ts';
import { describeOnPostgres } from '../testkit/stores/databases.ts';
import { type S3Server, seaweedfsBinary, startSeaweedfs } from '../testkit/stores/seaweedfs.ts';
import { freePort, Reader } from './reader.ts';

const seaweedfs = await requirement('SeaweedFS', async () => {
  await seaweedfsBinary();
});

describeOnPostgres('docs/guides/storage.md', (databases) => {
  let reader: Reader;
  let s3: S3Server;
  afterAll(async () => {
    await reader?.close();
    await s3?.stop();
  });

  test.skipIf(!seaweedfs.available)('PostgreSQL and S3', { timeout: 200_000 }, async () => {
    s3 = await startSeaweedfs();
    await s3.createBucket('roundhouse');
    const database = await databases.create();
    const port = await freePort();
    reader = new Reader({
      environment: { ROUNDHOUSE_PORT: port, ROUNDHOUSE_STARTER: 'false' },
    });
    await reader.follow('storage.md', [
      ['postgres://roundhouse:secret@db.internal/roundhouse', database],
      ['http://s3.internal:9000', s3.endpoint],
      ['my-access-key', s3.accessKeyId],
      ['my-secret-key', s3.secretAccessKey],
      ['5500', port],
    ]);
    const listed = await s3.client.send(new ListObjectsV2Command({ Bucket: 'roundhouse', Prefix: 'files/' }));
    expect(listed.Contents).toHaveLength(1);
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    const { rows } = await client.query('select name, examples from datasets');
    await client.end();
    expect(rows).toMatchObject([{ name: 'try.jsonl' }]);
  });
});
