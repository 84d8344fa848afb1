import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { SetupError } from './steps.mjs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a command and returns its output; rejects with the output if it fails. Signals go to the child first, then to us. */
export function runQuietly(command, args, { onStart, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let stoppedBy;
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, stop);
    const settle = (result) => {
      for (const signal of signals) process.off(signal, stop);
      if (stoppedBy) process.kill(process.pid, stoppedBy);
      else result();
    };
    if (child.pid) onStart?.(child.pid);
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => settle(() => reject(error)));
    child.on('close', (code) =>
      settle(() => (code === 0 ? resolve(output) : reject(new Error(output.trim() || `exit code ${code}`)))),
    );
  });
}

/** npm's default retry delays add up to minutes without a network. */
const retrySettings = {
  npm_config_fetch_retries: '3',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '4000',
};

/** Runs the npm that started us, or else npm from the PATH. Errors explain what to do. */
export async function runNpm(args, { purpose, ...options }) {
  const cli = process.env.npm_execpath ?? '';
  const [command, ...prefix] =
    basename(cli).startsWith('npm') && cli.endsWith('js') ? [process.execPath, cli] : ['npm'];
  const quiet = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-update-notifier',
    '--loglevel=error',
  ];
  try {
    return await runQuietly(command, [...prefix, ...args, ...quiet], {
      ...options,
      env: { ...retrySettings, ...process.env },
    });
  } catch (error) {
    throw new SetupError(`${purpose} failed. ${explain(error)}`, { cause: error });
  }
}

function explain(error) {
  if (error.code === 'ENOENT')
    return 'npm was not found: install it (it comes with Node) and run the command again.';
  const output = error.message;
  if (
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH)\b/.test(
      output,
    )
  ) {
    const cause =
      output.split('\n').find((line) => /request to|network|getaddrinfo|connect /.test(line)) ?? '';
    return (
      'The package registry could not be reached. It is required once, on the first start: check the network, or set ' +
      `a mirror with "npm config set registry …", and run the command again.\n${cause}`.trimEnd()
    );
  }
  if (/\bENOSPC\b/.test(output)) return 'The disk is full: about 1 GB is required.';
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) return `The project's folder is not writable.\n${output}`;
  return `Output of npm:\n${output}`;
}
