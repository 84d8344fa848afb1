import { setTimeout as sleep } from 'node:timers/promises';
import { EngineStartFailed } from '../../engine.ts';
import { type ChildEnd, ChildGroup } from './child-group.ts';
import { findProgram } from './find-program.ts';
import { LogTail } from './log-tail.ts';
import type { Adapter, Progress, ServerKind, ServerOptions, ServerTiming } from './server-kind.ts';
import type { Upstream } from './upstream.ts';

export interface Launch {
  server: ServerKind;
  options: ServerOptions;
  timing: ServerTiming;
  adapters: Adapter[];
  port: number;
  key: string;
  upstream: Upstream;
  /** Called when the process has started, before it responds. */
  onSpawn(child: ChildGroup): void;
  onProgress(progress: Progress): void;
}

/** Starts the process and waits until it responds. If it fails, throws with the reason from its log. */
export async function launchServer(launch: Launch): Promise<void> {
  const { server, options, timing } = launch;
  const program = findProgram(server, options.command, options.environment);
  const own = server.args(options, launch.adapters, launch.port);
  const args = [...program.first, ...own, ...(options.extraArguments ?? [])];
  const environment = { ...options.environment, ...server.environment(options, launch.key) };
  const tail = new LogTail(server.phases);
  const child = await ChildGroup.start({ file: program.file, args, environment }, (line) => {
    options.log(line);
    if (tail.add(line)) launch.onProgress(tail.progress);
  }).catch((cause) => {
    throw new EngineStartFailed('failed', `${server.title} could not be started: ${cause.message}`, {
      cause,
    });
  });
  launch.onSpawn(child);
  const outcome = await untilHealthy(child, launch.upstream, timing);
  if (outcome === 'healthy') return;
  if (outcome === 'late') {
    child.kill();
    const seconds = Math.round(timing.start / 1000);
    const message = `${server.title} did not start within ${seconds} s (${tail.progress.text}).`;
    throw new EngineStartFailed('failed', message);
  }
  const { failure, message } = server.explain(tail.lines, outcome);
  throw new EngineStartFailed(failure, `${server.title} could not start: ${message}`);
}

async function untilHealthy(
  child: ChildGroup,
  upstream: Upstream,
  timing: ServerTiming,
): Promise<'healthy' | 'late' | ChildEnd> {
  const deadline = Date.now() + timing.start;
  while (Date.now() < deadline) {
    const end = await Promise.race([child.ended, sleep(200)]);
    if (end !== undefined) return end;
    if (await upstream.healthy('/health', timing.answer)) return 'healthy';
  }
  return 'late';
}
