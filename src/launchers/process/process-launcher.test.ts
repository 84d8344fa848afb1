import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LaunchedPod, PodToLaunch } from '../../contracts/launching.ts';
import { ProcessLauncher, type ProcessLauncherOptions } from './process-launcher.ts';

const stayAlive = 'setInterval(() => {}, 1000);';
const listening = `process.send({ kind: 'listening', address: 'http://127.0.0.1:4711' });`;
const grandchild = `const started = require('node:child_process').spawn('sleep', ['300']);
  console.log('grandchild', started.pid);`;

const answering = `const server = require('node:http').createServer((request, response) => {
    console.log(request.url);
    response.end();
  });
  server.listen(0, '127.0.0.1', () =>
    process.send({ kind: 'listening', address: 'http://127.0.0.1:' + server.address().port }));`;

describe('ProcessLauncher', () => {
  let folder: string;
  let launcher: ProcessLauncher | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  });
  afterEach(async () => {
    await launcher?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function launch(script: string, options: Partial<ProcessLauncherOptions> = {}): ProcessLauncher {
    launcher = new ProcessLauncher({
      data_dir: folder,
      main: 'roundhouse.ts',
      environment: process.env,
      commandFor: () => ({ command: process.execPath, args: ['-e', script] }),
      restart: { first: 10, longest: 40, stableAfter: 60_000, loopAfter: 3 },
      ...options,
    });
    return launcher;
  }

  const pod: PodToLaunch = { pod_id: 'chat-1', engine: 'llamacpp', task: 'llm', model: 'm.gguf' };

  test('reports the port of the pod and keeps its log', async () => {
    const launcher = launch(`console.log('hello from the pod'); ${listening} ${stayAlive}`);
    await launcher.start(pod);
    const running = await reaches(launcher, 'running');
    expect(running).toMatchObject({ address: 'http://127.0.0.1:4711', restarts: 0, error: null });
    await vi.waitFor(
      async () => expect(await launcher.log('chat-1', 5)).toEqual(['hello from the pod']),
      90_000,
    );
  });

  test('starting the same pod again changes nothing; a different one replaces it', async () => {
    const launcher = launch(`${listening} ${stayAlive}`);
    await launcher.start(pod);
    const first = await reaches(launcher, 'running');
    expect((await launcher.start({ ...pod })).pid).toBe(first.pid);
    await launcher.start({ ...pod, model: 'another.gguf' });
    const second = await reaches(launcher, 'running');
    expect(second.pid).not.toBe(first.pid);
    expect(isAlive(first.pid)).toBe(false);
    expect(launcher.list()).toHaveLength(1);
  });

  test('restarts a killed pod', async () => {
    const launcher = launch(`${listening} ${stayAlive}`);
    const states: string[] = [];
    launcher.onChange((record) => states.at(-1) !== record.state && states.push(record.state));
    await launcher.start(pod);
    const first = await reaches(launcher, 'running');
    process.kill(first.pid as number, 'SIGKILL');
    const second = await reaches(launcher, 'running', (record) => record.restarts === 1);
    expect(second.pid).not.toBe(first.pid);
    expect(states).toEqual(['starting', 'running', 'backing-off', 'starting', 'running']);
  });

  test('restarts a pod that is alive and does not answer, and says why', async () => {
    const launcher = launch(answering, { probe: { interval: 20, timeout: 500, failures: 2 } });
    const errors = new Set<string | null>();
    launcher.onChange(({ error }) => errors.add(error));
    await launcher.start(pod);
    const first = await reaches(launcher, 'running');
    process.kill(first.pid as number, 'SIGSTOP');
    const second = await reaches(launcher, 'running', (record) => record.restarts === 1);
    expect(isAlive(first.pid)).toBe(false);
    expect(second.error).toBeNull();
    expect([...errors]).toContain('it does not answer: 2 health requests in a row failed');
  });

  test('leaves a pod alone whose answers to health requests are slow or bad', async () => {
    const launcher = launch(
      answering.replace('response.end()', 'setTimeout(() => response.writeHead(503).end(), 50)'),
      {
        probe: { interval: 1, timeout: 30_000, failures: 1 },
      },
    );
    await launcher.start(pod);
    const { pid } = await reaches(launcher, 'running');
    await vi.waitFor(async () => expect((await launcher.log('chat-1', 5)).length).toBe(5), 90_000);
    expect(launcher.get('chat-1')).toMatchObject({ state: 'running', pid, restarts: 0 });
  });

  test('restarts a pod whose loading makes no progress, and says why', async () => {
    const launcher = launch(`process.send({ kind: 'progress', text: 'weights: 3 %' }); ${stayAlive}`, {
      loadTimeout: 300,
      restart: { first: 10, longest: 40, stableAfter: 1, loopAfter: 2 },
    });
    await launcher.start(pod);
    const { pid } = launcher.list()[0] as LaunchedPod;
    const looping = await reaches(launcher, 'crash-looping');
    expect(looping.error).toMatch(/^loading its model made no progress for 0.3 s/);
    expect(isAlive(pid)).toBe(false);
  });

  test('leaves a pod alone that loads slowly and reports new progress', async () => {
    const slow = `let share = 0;
      setInterval(() => {
        if (share++ < 12) process.send({ kind: 'progress', text: share + ' %' });
        if (share === 12) process.send({ kind: 'listening', address: 'http://127.0.0.1:4711' });
      }, 250);`;
    const launcher = launch(slow, { loadTimeout: 2_000 });
    await launcher.start(pod);
    expect(await reaches(launcher, 'running')).toMatchObject({ restarts: 0, error: null });
  });

  test('ends a pod that said it is dead and hangs', async () => {
    const launcher = launch(`process.send({ kind: 'dead', reason: 'out of memory' }); ${stayAlive}`, {
      deadGrace: 50,
    });
    await launcher.start(pod);
    expect(await reaches(launcher, 'crash-looping')).toMatchObject({ error: 'out of memory' });
  });

  test('reports a crash loop and its reason', async () => {
    const launcher = launch('process.exit(3)');
    await launcher.start(pod);
    const looping = await reaches(launcher, 'crash-looping');
    expect(looping).toMatchObject({ error: 'exited with code 3', address: null });
    expect(looping.retry_at).toBeGreaterThan(0);
  });

  test('does not restart a pod that reports a permanent failure', async () => {
    const launcher = launch(
      `process.send({ kind: 'dead', reason: 'the file is damaged' }, () => process.exit(78));`,
    );
    await launcher.start(pod);
    expect(await reaches(launcher, 'failed')).toMatchObject({ error: 'the file is damaged', restarts: 0 });
  });

  test('reports a missing command as a state, not an exception', async () => {
    const launcher = launch('', { commandFor: () => ({ command: '/nowhere/at-all', args: [] }) });
    await launcher.start(pod);
    expect((await reaches(launcher, 'crash-looping')).error).toContain('could not be started');
  });

  test('kills a pod that ignores SIGTERM, and its children', async () => {
    const launcher = launch(
      `process.on('SIGTERM', () => {}); ${grandchild.replace("'300'", "'301'")} ${listening} ${stayAlive}`,
      { stopTimeout: 100 },
    );
    await launcher.start(pod);
    const { pid } = await reaches(launcher, 'running');
    const grandchildPid = await vi.waitFor(async () => {
      const [line] = await launcher.log('chat-1', 1);
      return Number(line?.match(/grandchild (\d+)/)?.[1] ?? expect.fail('not logged yet'));
    }, 90_000);
    await launcher.stop('chat-1');
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(grandchildPid)).toBe(false);
    expect(launcher.get('chat-1')).toBeUndefined();
  });

  test('an id can not name a folder outside the data folder', async () => {
    const launcher = launch(`console.log('here'); ${listening} ${stayAlive}`);
    await launcher.start({ ...pod, pod_id: '../../escape' });
    await vi.waitFor(
      () =>
        expect(readFileSync(join(folder, 'pods', '%2E%2E%2F..%2Fescape', 'pod.log'), 'utf8')).toBe('here\n'),
      90_000,
    );
  });

  test('rotates the log and reads its tail across files', async () => {
    const launcher = launch(
      `for (let n = 0; n < 300; n++) console.log('line ' + n + ' ' + 'x'.repeat(100)); ${stayAlive}`,
      { logLimits: { maxBytes: 4_000, keep: 2 } },
    );
    await launcher.start(pod);
    await vi.waitFor(async () => {
      const lines = await launcher.log('chat-1', 3);
      expect(lines.map((line) => line.slice(0, 8))).toEqual(['line 297', 'line 298', 'line 299']);
    }, 90_000);
  });

  test('a killed parent leaves neither the pod nor its children', async () => {
    const stubborn = `process.on('disconnect', () => {}); process.on('SIGTERM', () => {}); ${grandchild} ${stayAlive}`;
    const parent = spawnParent(folder, stubborn);
    const lines = createInterface({ input: parent.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    const pids = JSON.parse((await lines.next()).value as string) as number[];
    expect(pids.map(isAlive)).toEqual([true, true]);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), {
      timeout: 90_000,
      interval: 50,
    });
  });
});

/** Starts another process with its own launcher, which prints the pids of the pod and of its child. */
function spawnParent(folder: string, podScript: string): ChildProcess {
  const script = `
    import { ProcessLauncher } from ${JSON.stringify(new URL('./process-launcher.ts', import.meta.url).href)};
    const launcher = new ProcessLauncher({
      data_dir: ${JSON.stringify(folder)}, main: '', environment: process.env, orphanGrace: 0,
      commandFor: () => ({ command: process.execPath, args: ['-e', ${JSON.stringify(podScript)}] }),
    });
    const { pid } = await launcher.start({ pod_id: 'p', engine: 'e', task: 'llm', model: 'm' });
    const poll = setInterval(async () => {
      const grandchild = (await launcher.log('p', 1))[0]?.match(/grandchild (\\d+)/)?.[1];
      if (!grandchild) return;
      clearInterval(poll);
      console.log(JSON.stringify([pid, Number(grandchild)]));
    }, 20);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function reaches(
  launcher: ProcessLauncher,
  state: LaunchedPod['state'],
  also: (pod: LaunchedPod) => boolean = () => true,
): Promise<LaunchedPod> {
  return vi.waitFor(
    () => {
      const found = launcher.list()[0];
      if (found?.state !== state || !also(found))
        throw new Error(`not ${state} yet: ${JSON.stringify(found)}`);
      return found;
    },
    { timeout: 90_000, interval: 10 },
  );
}

/** Zombies count as dead. */
function isAlive(pid: number | null): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
