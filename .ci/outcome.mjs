// What the reports of .ci/reporter.mjs add up to.

const itself = '(the file itself)';

/** The names of the tests that failed; where none did but the file did (an import, a hook), that counts as one. */
function failuresOf({ failed, tests }) {
  const names = namesIn(tests, 'failed');
  return failed && names.length === 0 ? [itself] : names;
}

/** Several tests of a file may have the same name: the second one is told from the first by a number. */
function namesIn(tests, state) {
  const seen = new Map();
  return tests.flatMap((test) => {
    const count = (seen.get(test.name) ?? 0) + 1;
    seen.set(test.name, count);
    return test.state === state ? [count === 1 ? test.name : `${test.name} #${count}`] : [];
  });
}

export const failedFiles = (report) => report.files.filter(({ failed }) => failed).map(({ path }) => path);

/**
 * Adds up a run of all tests and a later run of the files that failed in it. A test that failed in the first run and
 * passed in the second counts as passed, and is listed as flaky. A run that was cut off, or that had an error outside
 * of its tests, counts as one failure: running some files again can't show that it was harmless.
 */
export function outcomeOf(first, second) {
  const again = new Map(second?.report.files.map((file) => [file.path, file]));
  const outcome = { passed: 0, failed: unexplained(first) + (second ? unexplained(second) : 0), flaky: [] };
  for (const file of first.report.files) {
    const passedBefore = namesIn(file.tests, 'passed');
    const passedAgain = again.has(file.path) ? passedIn(again.get(file.path)) : [];
    const failures = failuresOf(file);
    const recovered = failures.filter((name) => passedAgain.includes(name));
    outcome.passed += passedBefore.length;
    outcome.failed += failures.length - recovered.length;
    outcome.flaky.push(...recovered.map((name) => `${file.path} > ${name}`));
    // Where the file itself failed, its tests may not have run at all before.
    outcome.passed += recovered.includes(itself)
      ? passedAgain.filter((name) => name !== itself && !passedBefore.includes(name)).length
      : recovered.length;
  }
  return outcome;
}

const passedIn = (file) => [...namesIn(file.tests, 'passed'), ...(file.failed ? [] : [itself])];

function unexplained({ report, code }) {
  if (!report.ended || report.unhandledErrors > 0) return 1;
  return code !== 0 && failedFiles(report).length === 0 ? 1 : 0;
}
