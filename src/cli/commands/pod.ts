import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { cannotWork } from '../../contracts/pod-messages.ts';
import { Problem } from '../../contracts/problems.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import { isLoopback } from '../../platform/config/resolve-platform.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { ignoreLostOutput } from '../../platform/telemetry/log-output.ts';
import { programVersion } from '../../platform/version.ts';
import type { RunningPod } from '../../pod/run-pod.ts';
import type { Config } from '../../settings.ts';
import { findModel } from '../models/find-model.ts';
import { readLocalKey } from '../server/local-key.ts';
import { reportFailedStart } from '../serving/report-failed-start.ts';
import { adapter, address, port, positiveInteger } from '../terminal/arguments.ts';
import { configFrom } from '../terminal/config-options.ts';

interface PodFlags {
  engine?: string;
  task?: string;
  model: string;
  modelName?: string;
  servedModelName?: string;
  adapter: { name: string; path: string }[];
  dtype?: string;
  quantization?: string;
  maxModelLen?: number;
  gpuMemoryUtilization?: number;
  tensorParallel?: number;
  threads?: number;
  parallel?: number;
  engineCommand?: string;
  host: string;
  port: number;
  advertise?: string;
  dispatcher?: string;
  podId?: string;
  config?: string;
  dataDir?: string;
}

const examples = `
Examples:
  roundhouse pod --model smollm2-135m-instruct --port 8000
  roundhouse pod --model ./model.gguf --adapter support=./support.gguf --dispatcher http://127.0.0.1:5500
  roundhouse pod --engine onnx --task embeddings --model ./all-minilm-l6-v2`;

/** Milliseconds that running answers get to finish when the pod is stopped. */
const drainLimit = 5_000;

export function register(program: Command): void {
  program
    .command('pod')
    .description('Serve one model and its adapters through the OpenAI API')
    .requiredOption(
      '--model <model>',
      'a folder, a file, the id of a downloaded model, or a URL for the openai engine',
    )
    .option('--engine <name>', 'llamacpp, onnx, vllm, llama-server or openai (default: chosen by the model)')
    .addOption(
      new Option('--task <task>', 'task to serve (default: chosen by the model)').choices([
        'llm',
        'embeddings',
        'rerank',
      ]),
    )
    .option('--model-name <name>', 'name of the model in reports (default: the value of --model)')
    .option('--served-model-name <name>', 'name of the model in requests (default: derived from --model)')
    .option(
      '--adapter <name=path>',
      'LoRA adapter and the name to serve it under; can be repeated',
      adapter,
      [],
    )
    .option('--dtype <dtype>', 'auto, float32, float16, bfloat16, or a quantisation such as Q4_K_M')
    .option('--quantization <name>', "quantisation of the weights, for engines that can't detect it")
    .option(
      '--max-model-len <tokens>',
      'maximum number of tokens of prompt and answer together',
      positiveInteger,
    )
    .option('--gpu-memory-utilization <share>', 'share of GPU memory to use, 0 to 1', Number)
    .option('--tensor-parallel <number>', 'number of GPUs over which to divide the model', positiveInteger)
    .option(
      '--threads <number>',
      'number of engine threads (default: number of cores minus one)',
      positiveInteger,
    )
    .option('--parallel <number>', 'number of answers generated in parallel', positiveInteger)
    .option('--engine-command <command>', 'executable of vllm or llama-server (default: found on the PATH)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free port', port, 8000)
    .option(
      '--advertise <url>',
      'URL at which the dispatcher reaches this pod (default: the listening address)',
    )
    .option('--dispatcher <url>', 'dispatcher to report to', address)
    .option('--pod-id <id>', 'id of this pod in reports (default: generated)')
    .option('-c, --config <file>', 'configuration file (default: roundhouse.yaml, if it exists)')
    .option('--data-dir <folder>', 'data folder that contains the starter models')
    .argument('[engine flags...]', 'after --: additional flags for vllm or llama-server')
    .addHelpText('after', examples)
    .action((extra: string[], flags: PodFlags) => pod(flags, extra));
}

async function pod(flags: PodFlags, extra: string[]): Promise<void> {
  ignoreLostOutput();
  const config = await configFrom({
    ...(flags.config ? { config: flags.config } : {}),
    ...(flags.dataDir ? { dataDir: flags.dataDir } : {}),
  });
  const { tellLauncher } = await import('../../pod/launcher-channel.ts');
  try {
    const options = await podOptions(flags, extra, config).catch(async (error: Error) => {
      await reportFailedStart(flags, keyFor(flags.dispatcher, config), error.message);
      throw error;
    });
    await serveUntilStopped(options);
  } catch (error) {
    const reason = (error as Error).message;
    await tellLauncher({ kind: 'dead', reason });
    process.stderr.write(`roundhouse pod: ${reason}\n`);
    process.exit(await exitCodeOf(error));
  }
}

async function podOptions(flags: PodFlags, extra: string[], config: Config) {
  const { startLogging } = await import('../../platform/telemetry/start-telemetry.ts');
  const { tellLauncher } = await import('../../pod/launcher-channel.ts');
  const found = await findModel(flags, config);
  return {
    ...found,
    ...(flags.modelName ? { model_name: flags.modelName } : {}),
    pod_id: flags.podId ?? `${found.served_model_name}-${randomBytes(3).toString('hex')}`,
    adapters: flags.adapter.map(({ name, path }) => ({ name, path: resolve(path) })),
    dtype: flags.dtype,
    quantization: flags.quantization ?? found.quantization,
    max_model_len: flags.maxModelLen,
    threads: flags.threads,
    parallel: flags.parallel,
    gpu_memory_utilization: flags.gpuMemoryUtilization,
    tensor_parallel: flags.tensorParallel,
    engine_command: flags.engineCommand,
    extra_arguments: extra,
    host: flags.host,
    port: flags.port,
    advertise: flags.advertise,
    dispatcher: flags.dispatcher,
    dispatcher_key: keyFor(flags.dispatcher, config),
    secret: config.pod.secret,
    upstream_key: processEnvironment().OPENAI_API_KEY,
    environment: engineEnvironment(),
    log: (line: string) => process.stdout.write(`${line}\n`),
    gpu_id: processEnvironment().CUDA_VISIBLE_DEVICES,
    report_interval: 5_000,
    body_limit: config.http.body_limit,
    version: programVersion,
    logger: startLogging(config.telemetry, 'pod'),
    onProgress: (text: string) => {
      tellLauncher({ kind: 'progress', text });
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
    },
  };
}

/** The programs that a pod starts need none of the platform's keys. */
function engineEnvironment() {
  const ours = ['ROUNDHOUSE_ADMIN_TOKEN', 'ROUNDHOUSE_POD_KEY', 'ROUNDHOUSE_POD_SECRET'];
  return Object.fromEntries(Object.entries(processEnvironment()).filter(([name]) => !ours.includes(name)));
}

/** Uses the local admin key only for a dispatcher on this machine; any other needs a configured key. */
function keyFor(dispatcher: string | undefined, config: Config): string | undefined {
  const configured = config.pod.key ?? config.admin_token;
  if (configured || !dispatcher) return configured;
  return isLoopback(new URL(dispatcher).hostname) ? readLocalKey(config.data_dir) : undefined;
}

async function serveUntilStopped(options: Awaited<ReturnType<typeof podOptions>>): Promise<void> {
  const { runPod } = await import('../../pod/run-pod.ts');
  const { onLauncherGone } = await import('../../pod/launcher-channel.ts');
  const { endProcess } = await import('../../pod/end-process.ts');
  const running = await runPod(options);
  if (process.stderr.isTTY) {
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
      running.stop(`stopped by ${signal}`, drainLimit).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

/** Distinguishes permanent errors, for which a restart is pointless, from temporary ones. */
async function exitCodeOf(error: unknown): Promise<number> {
  const { EngineStartFailed } = await import('../../pod/engine.ts');
  if (error instanceof EngineStartFailed) {
    return ['missing-file', 'corrupt-file', 'unsupported'].includes(error.failure) ? cannotWork : 1;
  }
  return error instanceof Problem || error instanceof StartupError ? cannotWork : 1;
}
