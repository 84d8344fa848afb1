// `npm run verify`: all checks that take seconds, two at a time.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

interface Step {
  name: string;
  /** Arguments for Node. */
  run: string[];
}

const steps: Step[] = [
  {
    name: 'format and lint',
    run: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  },
  { name: 'types', run: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'] },
  { name: 'architecture', run: ['node_modules/vitest/vitest.mjs', 'run', 'test/architecture.test.ts'] },
  { name: 'dead code', run: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  { name: 'dead code in production', run: ['node_modules/knip/bin/knip.js', '--no-progress', '--strict'] },
  { name: 'paths in the documentation', run: ['scripts/check-docs.ts'] },
  { name: 'lockfile', run: ['scripts/complete-lockfile.ts', '--check'] },
  // Only in CI: a plain `npm install` leaves files for other platforms that the setup would have removed.
  ...(process.env.CI ? [{ name: 'installed size', run: ['scripts/installed-size.ts'] }] : []),
];

const root = dirname(import.meta.dirname);
const started = performance.now();
const waiting = [...steps];
const failed: string[] = [];
await Promise.all([work(), work()]);
console.log(`verify: ${steps.length - failed.length} passed, ${failed.length} failed in ${seconds(started)}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    const stepStarted = performance.now();
    const { passed, output } = await run(step);
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${step.name} (${seconds(stepStarted)})`);
    if (passed) continue;
    failed.push(step.name);
    console.log(output.trimEnd());
  }
}

function run(step: Step): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, step.run, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ passed: false, output: error.message }));
    child.on('close', (code) => resolve({ passed: code === 0, output }));
  });
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
