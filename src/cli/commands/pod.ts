import { type Command, Option } from 'commander';
import { ignoreLostOutput } from '../../platform/telemetry/log-output.ts';
import { keyFor, type PodFlags, podOptions } from '../pod-model/pod-options.ts';
import { exitCodeOf, serveUntilStopped } from '../pod-model/serve-pod.ts';
import { reportFailedStart } from '../serving/report-failed-start.ts';
import { adapter, address, port, positiveInteger } from '../terminal/arguments.ts';
import { configFrom } from '../terminal/config-options.ts';
import { tell } from '../terminal/print.ts';

const examples = `
Examples:
  roundhouse pod --join http://10.0.0.1:5500 --key rh-… --model Qwen/Qwen2.5-7B-Instruct
  roundhouse pod --model smollm2-135m-instruct --port 8000
  roundhouse pod --model ./model.gguf --adapter support=./support.gguf --dispatcher http://127.0.0.1:5500
  roundhouse pod --engine onnx --task embeddings --model ./all-minilm-l6-v2`;

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
