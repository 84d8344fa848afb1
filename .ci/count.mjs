// `node .ci/count.mjs <reports folder> <exit code of verify> <exit code of the tests>` prints "N passed, N failed".
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, verifyCode, testsCode] = process.argv.slice(2);

/** A run with a non-zero exit code counts as at least one failure, whatever its report says. */
const atLeastOne = (failed, code) => (code === '0' ? failed : Math.max(failed, 1));

function verifyCounts() {
  const text = readFileSync(join(folder, 'verify.log'), 'utf8');
  const [, passed = 0, failed = 0] = /^verify: (\d+) passed, (\d+) failed/m.exec(text) ?? [];
  return { passed: Number(passed), failed: atLeastOne(Number(failed), verifyCode) };
}

function testCounts() {
  try {
    const report = JSON.parse(readFileSync(join(folder, 'tests.json'), 'utf8'));
    // A test file that failed to load has no test results, so it is counted itself.
    const broken = report.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    );
    return {
      passed: report.numPassedTests,
      failed: atLeastOne(report.numFailedTests + broken.length, testsCode),
    };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const counts = [verifyCounts(), testCounts()];
const sum = (key) => counts.reduce((total, it) => total + it[key], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
