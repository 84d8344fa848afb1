// Plain JavaScript: to strip types, each thread would load its own compiler. The only place where a pattern from a
// file is run: the main thread ends this one when it takes too long.
import { parentPort, workerData } from 'node:worker_threads';

const { patterns, modules } = workerData;
const compiled = patterns.map((pattern) => {
  try {
    return new RegExp(`^(?:.*\\.)?(?:${pattern})$`);
  } catch {
    return null;
  }
});
const invalid = compiled.indexOf(null);
if (invalid >= 0) parentPort.postMessage({ invalid });
else {
  const first = modules.map((module) => compiled.findIndex((pattern) => pattern.test(module)));
  parentPort.postMessage({ first });
}
