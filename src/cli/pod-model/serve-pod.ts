import { cannotWork } from '../../contracts/pod-messages.ts';
import { Problem } from '../../contracts/problems.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { RunningPod } from '../../pod/run-pod.ts';
import type { podOptions } from './pod-options.ts';

/** Milliseconds that running answers get to finish when the pod is stopped. */
const drainLimit = 5_000;

/** Runs the pod; throws the reason when it has ended by itself. */
export async function serveUntilStopped(
  options: Awaited<ReturnType<typeof podOptions>>,
  joined: string | undefined,
): Promise<void> {
  const { runPod } = await import('../../pod/run-pod.ts');
  const { onLauncherGone } = await import('../../pod/process/launcher-channel.ts');
  const { endProcess } = await import('../../pod/process/end-process.ts');
  const running = await runPod(options);
  if (joined !== undefined) {
    process.stderr.write(
      `${process.stderr.isTTY ? '\r\x1b[K' : ''}${options.served_model_name} is served through ${options.dispatcher}/v1 (this pod: ${options.advertise}; Ctrl+C to leave)\n`,
    );
  } else if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${options.served_model_name} is served at ${running.address}/v1\n`);
  }
  stopOnSignal(running);
  onLauncherGone(() => endProcess(() => running.stop('its launcher has ended', 0), 0));
  process.on('uncaughtException', (error) => {
    options.logger.error({ err: error }, 'uncaught exception; the pod stops');
    endProcess(() => running.stop(error.message, 0), 1);
  });
  throw new Error(await running.gone);
}

function stopOnSignal(running: RunningPod): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      if (process.stderr.isTTY) process.stderr.write('\nstopping; press Ctrl+C again to stop at once\n');
      running.stop(`stopped by ${signal}`, drainLimit).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

/** Distinguishes permanent errors, for which a restart is pointless, from temporary ones. */
export async function exitCodeOf(error: unknown): Promise<number> {
  const { EngineStartFailed } = await import('../../pod/engine.ts');
  if (error instanceof EngineStartFailed) {
    return ['missing-file', 'corrupt-file', 'unsupported'].includes(error.failure) ? cannotWork : 1;
  }
  return error instanceof Problem || error instanceof StartupError ? cannotWork : 1;
}
