import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openapiFiles } from '../scripts/openapi.ts';

it('the committed OpenAPI files describe what is mounted (npm run openapi writes them)', async () => {
  const files = await openapiFiles();
  expect([...files.keys()]).toContain('docs/openapi/management.json');
  for (const [path, text] of files) expect(readFileSync(path, 'utf8'), path).toBe(text);
});
