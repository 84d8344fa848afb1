import { type LayoutModelPaths, openLayoutModels } from '../../../src/models/layout/open-layout-models.ts';
import { cacheFolder } from '../machine/cache-folder.ts';

/** The four models for hi_res and OCR, 24 MB, downloaded once. */
export async function layoutModels(): Promise<LayoutModelPaths> {
  const config = { data_dir: cacheFolder('layout'), hub: { endpoint: '' }, packages: {} };
  const models = openLayoutModels({ config, environment: process.env });
  return models.find() ?? models.fetch({ signal: AbortSignal.timeout(300_000) });
}
