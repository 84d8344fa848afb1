import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/platform/config/load-config.ts';
import { buildPlatform } from '../src/server.ts';

/** The OpenAPI file of each service, as text, from a platform that is built and never listens. */
export async function openapiFiles(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-openapi-'));
  const flags = { data_dir: folder, 'telemetry.log_level': 'silent', starter: 'false' };
  const platform = await buildPlatform(loadConfig({ environment: {}, workingDirectory: folder, flags }));
  try {
    const described = [...platform.built.openapi].filter(([name]) => name !== 'console');
    return new Map(
      described.map(([name, document]) => [
        `docs/openapi/${name}.json`,
        `${JSON.stringify(document(), null, 2)}\n`,
      ]),
    );
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
