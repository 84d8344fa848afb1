import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPlatform } from '../src/server.ts';
import { loadConfig } from '../src/settings.ts';
import { configurationPage } from './configuration-page.ts';

/** All committed files that are generated from the code, by path. `npm run generate` writes them; a test compares them. */
export async function generatedFiles(): Promise<Map<string, string>> {
  return new Map([...(await openapiFiles()), ['docs/configuration.md', configurationPage()]]);
}

/** The OpenAPI file of each service, from a platform that is built but never listens. */
async function openapiFiles(): Promise<[string, string][]> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-openapi-'));
  const flags = { data_dir: folder, 'telemetry.log_level': 'silent', starter: 'false' };
  const platform = await buildPlatform(loadConfig({ environment: {}, workingDirectory: folder, flags }));
  try {
    const described = [...platform.built.openapi].filter(([name]) => name !== 'console');
    return described.map(([name, document]) => [
      `docs/openapi/${name}.json`,
      `${JSON.stringify(document(), null, 2)}\n`,
    ]);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
