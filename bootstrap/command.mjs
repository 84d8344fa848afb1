import { spawn } from 'node:child_process';

/** Runs a command quietly; its output is shown only where it failed. */
export function runQuietly(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(output.trim() || `exit code ${code}`)),
    );
  });
}

/** The npm that started us, run by a given Node; the one on the PATH where we were not started by npm. */
export function npmCommand(node) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? { command: node, prefix: [cli] } : { command: 'npm', prefix: [] };
}
