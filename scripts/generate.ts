// `npm run generate`: writes the files that are generated from the code.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedFiles } from './generated-files.ts';

for (const [path, text] of await generatedFiles()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
