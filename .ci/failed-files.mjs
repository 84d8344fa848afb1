// `node .ci/failed-files.mjs <report>` prints the test files that failed, one per line.
import { readFileSync } from 'node:fs';
import { failedFiles } from './outcome.mjs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const path of failedFiles(report)) console.log(path);
