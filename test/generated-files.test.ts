import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from '../scripts/generated-files.ts';

it('the generated files are those that the code makes now (npm run generate writes them)', async () => {
  const files = await generatedFiles();
  expect([...files.keys()]).toContain('docs/openapi/management.json');
  for (const [path, text] of files) expect(readFileSync(path, 'utf8'), path).toBe(text);
});
