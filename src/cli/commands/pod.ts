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
import type { JoinedPlace } from '../joining/join-platform.ts';
import type { PlatformToJoin } from '../joining/platform-client.ts';
import { engineEnvironment } from '../pod-model/engine-environment.ts';
import { readLocalKey } from '../server/local-key.ts';
import { readAddress } from '../server/server-address.ts';
import { reportFailedStart } from '../serving/report-failed-start.ts';
import { adapter, address, port, positiveInteger } from '../terminal/arguments.ts';
import { configFrom } from '../terminal/config-options.ts';
import { tell } from '../terminal/print.ts';

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
  host?: string;
  port: number;
  advertise?: string;
  dispatcher?: string;
  join?: string;
  key?: string;
  podId?: string;
  config?: string;
  dataDir?: string;
}

const examples = `
Examples:
  roundhouse pod --join http://10.0.0.1:5500 --key rh-… --model Qwen/Qwen2.5-7B-Instruct
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
      'a folder, a file, the id of a model in the library or the catalog, or a URL for the openai engine; with --join also a model of the platform or the hub, which is fetched',
    )
    .option(
      '--engine <name>',
      'llamacpp, onnx, vllm, llama-server or openai (default: chosen by the model and the machine)',
    )
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
    .option(
      '--host <address>',
      'address to listen on (default: 127.0.0.1; with --join the one on the way to the platform)',
    )
    .option('--port <number>', 'port to listen on; 0 picks a free port', port, 8000)
    .option(
      '--advertise <address>',
      'host, host:port or URL at which the platform reaches this pod (default: the listening address)',
    )
    .option('--join <url>', 'platform on another machine to serve behind', address)
    .option('--key <key>', 'key with the scope pods for the platform (or ROUNDHOUSE_POD_KEY)')
    .option('--dispatcher <url>', 'dispatcher on this machine to report to', address)
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
  const { tellLauncher } = await import('../../pod/process/launcher-channel.ts');
  try {
    const options = await podOptions(flags, extra, config).catch(async (error: Error) => {
      await reportFailedStart(flags, keyFor(flags, flags.dispatcher, config), error.message);
      throw error;
    });
    await serveUntilStopped(options, flags.join);
  } catch (error) {
    const reason = (error as Error).message;
    await tellLauncher({ kind: 'dead', reason });
    tell(`roundhouse pod: ${reason}`);
    process.exit(await exitCodeOf(error));
  }
}

async function podOptions(flags: PodFlags, extra: string[], config: Config) {
  const { startLogging } = await import('../../platform/telemetry/start-telemetry.ts');
  const { tellLauncher } = await import('../../pod/process/launcher-channel.ts');
  const { findModel } = await import('../pod-model/find-model.ts');
  const place = await placeOf(flags, config);
  const found = await findModel(flags, config, { own: ownPlatform(flags, config), joined: place.platform });
  return {
    ...found,
    ...(flags.modelName ? { model_name: flags.modelName } : {}),
    pod_id: place.podId ?? `${found.served_model_name}-${randomBytes(3).toString('hex')}`,
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
    host: place.host,
    port: place.port,
    advertise: place.advertise,
    dispatcher: place.dispatcher,
    dispatcher_key: keyFor(flags, place.dispatcher, config),
    secret: place.secret,
    upstream_key: processEnvironment().OPENAI_API_KEY,
    environment: engineEnvironment(processEnvironment()),
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

/** Where the pod listens, and whom it reports to. With `--join` the platform has been reached, and has reached it. */
async function placeOf(flags: PodFlags, config: Config): Promise<JoinedPlace> {
  if (flags.join === undefined) {
    const { host = '127.0.0.1', port, advertise, dispatcher, podId } = flags;
    return { host, port, advertise, dispatcher, podId, secret: config.pod.secret };
  }
  if (flags.dispatcher !== undefined) throw new StartupError('use --join or --dispatcher, not both');
  const { joinPlatform } = await import('../joining/join-platform.ts');
  return joinPlatform(flags as PodFlags & { join: string }, {
    key: keyFor(flags, flags.join, config),
    secret: config.pod.secret,
  });
}

/** The platform whose library has the models of this data folder. */
function ownPlatform(flags: PodFlags, config: Config): PlatformToJoin | undefined {
  const url = flags.dispatcher ?? readAddress(config.data_dir);
  return url === undefined ? undefined : { url, key: keyFor(flags, url, config) };
}

/** Uses the local admin key only for a platform on this machine; any other needs a configured key. */
function keyFor(flags: PodFlags, platform: string | undefined, config: Config): string | undefined {
  const configured = flags.key ?? config.pod.key ?? config.admin_token;
  if (configured || !platform) return configured;
  return isLoopback(new URL(platform).hostname) ? readLocalKey(config.data_dir) : undefined;
}

async function serveUntilStopped(
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
async function exitCodeOf(error: unknown): Promise<number> {
  const { EngineStartFailed } = await import('../../pod/engine.ts');
  if (error instanceof EngineStartFailed) {
    return ['missing-file', 'corrupt-file', 'unsupported'].includes(error.failure) ? cannotWork : 1;
  }
  return error instanceof Problem || error instanceof StartupError ? cannotWork : 1;
}
