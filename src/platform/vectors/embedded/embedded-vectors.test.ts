import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeVectorStore } from '../../../../test/testkit/stores/vector-store-suite.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { openEmbeddedVectors } from './embedded-vectors.ts';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-vectors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = async () =>
  openEmbeddedVectors({ folder, memory: 2 ** 30, idle: 60_000 }, { logger: silentLogger() });

describeVectorStore('vectors in files', { open });
