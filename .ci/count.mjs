// `node .ci/count.mjs <reports folder> <exit code of verify> <of the tests> [<of the second run>]` prints flaky tests and
// "N passed, N failed".
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf } from './outcome.mjs';

const [folder, verifyCode, ...codes] = process.argv.slice(2);
const read = (name) => readFileSync(join(folder, name), 'utf8');

function verifyCounts() {
  const [, passed = 0, failed = 0] = /^verify: (\d+) passed, (\d+) failed/m.exec(read('verify.log')) ?? [];
  // A non-zero exit code counts as at least one failure, whatever was printed.
  return { passed: Number(passed), failed: Math.max(Number(failed), verifyCode === '0' ? 0 : 1) };
}

function runOf(name, code) {
  try {
    return { report: JSON.parse(read(name)), code: Number(code) };
  } catch {
    return { report: { files: [], ended: false, unhandledErrors: 0 }, code: 1 };
  }
}

const [first, second] = codes;
const verify = verifyCounts();
const tests = outcomeOf(
  runOf('first-run.json', first),
  second === undefined ? undefined : runOf('second-run.json', second),
);
console.log();
for (const test of tests.flaky) console.log(`FLAKY: ${test}`);
const failed = verify.failed + tests.failed;
console.log(`${verify.passed + tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
