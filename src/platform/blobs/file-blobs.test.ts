import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeBlobStore } from '../../../test/testkit/stores/blob-store-suite.ts';
import { openFileBlobs } from './file-blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-blobs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeBlobStore('blobs on the file system', () => openFileBlobs(folder));
