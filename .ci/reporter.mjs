// A Vitest reporter that writes the outcome of each test to $ROUNDHOUSE_TEST_REPORT. It writes after each file, so that a
// run that is ended by its time limit leaves what it has found out.
import { writeFileSync } from 'node:fs';

export default class OutcomeReporter {
  #files = new Map();

  onTestModuleEnd(module) {
    this.#add(module);
    this.#write({ ended: false, unhandledErrors: 0 });
  }

  onTestRunEnd(modules, unhandledErrors) {
    for (const module of modules) this.#add(module);
    this.#write({ ended: true, unhandledErrors: unhandledErrors.length });
  }

  #add(module) {
    const tests = [...module.children.allTests()].map((test) => ({
      name: test.fullName,
      state: test.result().state,
    }));
    this.#files.set(module.relativeModuleId, { failed: !module.ok(), tests });
  }

  #write(ending) {
    const files = [...this.#files].map(([path, file]) => ({ path, ...file }));
    writeFileSync(process.env.ROUNDHOUSE_TEST_REPORT, JSON.stringify({ files, ...ending }));
  }
}
