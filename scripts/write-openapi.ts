// `npm run openapi`: writes docs/openapi/*.json from what the services mount.
import { mkdirSync, writeFileSync } from 'node:fs';
import { openapiFiles } from './openapi.ts';

mkdirSync('docs/openapi', { recursive: true });
for (const [path, text] of await openapiFiles()) {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
