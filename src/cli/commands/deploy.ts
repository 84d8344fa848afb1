import type { Command } from 'commander';
import {
  type Deployment,
  type DeployStatus,
  type FixedSlot,
  isFixedSlot,
  type SlotEntry,
} from '../../contracts/management/deployments.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { confirmReplacement } from '../deploy/confirm-replacement.ts';
import { type DeployFlags, deployRequest, gpuList, slotName } from '../deploy/deploy-request.ts';
import { describeJob, describeOptions, describeSlot } from '../deploy/describe-deployment.ts';
import { libraryId } from '../models/library-id.ts';
import { type ManagementApi, openManagement, Refused } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/print.ts';

interface SlotOptions extends ServerOptions {
  slot?: string;
  json?: boolean;
}

interface DeployOptions extends SlotOptions, DeployFlags {
  yes?: boolean;
  wait?: boolean;
}

const examples = `
Examples:
  roundhouse deploy smollm2-135m-instruct --wait
  roundhouse deploy org/base --adapter law tax --replicas 2
  roundhouse deploy org/coder --slot code
  roundhouse deploy org/large --engine vllm --gpus 0,1 --max-model-len 32768 --replace
  roundhouse deploy org/large --engine vllm -- --enable-prefix-caching
  roundhouse deploy status
  roundhouse deploy stop --slot rerank`;

export function register(program: Command): void {
  const command = program
    .command('deploy')
    .description(
      'Deploy a model with its adapters; the current deployment serves until the new one is ready',
    );
  withSlot(
    command,
    'slot to deploy to: chat, embeddings, rerank, or a new name (default: by the kind of model)',
  )
    .argument('[model]', "id of a model in the library ('roundhouse models list')")
    .argument('[engine arguments...]', 'after --: additional arguments for vllm or llama-server')
    .option('--adapter <ids...>', 'adapters of the model, each served under its own name')
    .option('--engine <name>', 'llamacpp, onnx, vllm or llama-server (default: the best one on this machine)')
    .option('--dtype <dtype>', 'auto, float32, float16, bfloat16, or a quantisation such as Q4_K_M')
    .option('--replicas <number>', 'number of pods', positiveInteger)
    .option(
      '--max-model-len <tokens>',
      'maximum number of tokens of prompt and answer together',
      positiveInteger,
    )
    .option('--gpus <list>', 'GPUs to use, such as 0,1; several pods divide them', gpuList)
    .option(
      '--tensor-parallel <number>',
      'number of GPUs per pod (default: all of its GPUs)',
      positiveInteger,
    )
    .option('--gpu-memory-utilization <share>', 'share of GPU memory to use, above 0 up to 1', Number)
    .option('--replace', 'stop the current deployment first, for machines that can’t hold both')
    .option('-y, --yes', 'replace another model without asking')
    .option('--wait', 'wait until the deployment is ready and show its progress')
    .addHelpText('after', examples)
    .action(deploy);
  // Options before a subcommand's name are parsed by the parent command, which has the same options.
  withSlot(
    command.command('status').description('Show what the slots serve and their last deployment jobs'),
    'slot to show (default: all)',
  ).action((_: SlotOptions, own: Command) => status(own.optsWithGlobals()));
  withSlot(
    command
      .command('stop')
      .description('Undeploy the model of a slot; a slot with a name of its own goes too'),
    'slot to undeploy (default: chat)',
  ).action((_: SlotOptions, own: Command) => stop(own.optsWithGlobals()));
}

function withSlot(command: Command, description: string): Command {
  return withServerOptions(command)
    .option('--slot <slot>', description, slotName)
    .option('--json', 'print JSON');
}

async function deploy(name: string | undefined, extra: string[], options: DeployOptions): Promise<void> {
  if (name === undefined)
    throw new StartupError("missing argument 'model'; list models with 'roundhouse models list'");
  const request = deployRequest(name, options, extra);
  const { reportJob } = await import('../jobs/report-job.ts');
  const api = await openManagement(options);
  const model = await libraryId(api, name);
  const { replace = false, yes = false } = options;
  const slot = options.slot ?? (await slotFor(api, model));
  const current = await ask<Deployment>(api, slot, 'deploy/');
  await confirmReplacement({ slot, model, current, replace, yes });
  const job = await api.call<Job>('POST', `/api/${slot}/v1/deploy/`, request);
  await reportJob(api, job, options);
  if (!isFixedSlot(slot) && !options.json)
    process.stderr.write(`The slot ${slot} is served below /api/${slot}/v1\n`);
}

/** Where a model of this kind belongs. The platform refuses one that is not in the library. */
async function slotFor(api: ManagementApi, model: string): Promise<FixedSlot> {
  const models = await api.call<ModelEntry[]>('GET', 'models/');
  const entry = models.find(({ model_id }) => model_id === model);
  if (!entry)
    throw new StartupError(
      `${model} is not in the library; download it with: roundhouse models add ${model}`,
    );
  const task = entry.facts?.task;
  return task === 'embeddings' || task === 'rerank' ? task : 'chat';
}

async function status(options: SlotOptions): Promise<void> {
  const api = await openManagement(options);
  const slots = await api.call<SlotEntry[]>('GET', 'slots/');
  const { slot = 'chat' } = options;
  if (options.json) {
    const serving = await ask<Deployment>(api, slot, 'deploy/');
    const last = await ask<DeployStatus>(api, slot, 'deploy/status');
    return printJson({ serving, last, slots });
  }
  const found = slots.find((entry) => entry.slot === slot) ?? { slot, deployment: null };
  for (const { slot: name, deployment } of options.slot === undefined ? slots : [found]) {
    print(describeSlot(name, deployment));
    if (deployment) print(`  ${describeOptions(deployment)}`);
    const last = await ask<DeployStatus>(api, name, 'deploy/status');
    if (last) print(`  ${describeJob(last.job)}`);
  }
}

async function stop(options: SlotOptions): Promise<void> {
  const api = await openManagement(options);
  const { slot = 'chat' } = options;
  const job = await api.call<Job>('POST', `/api/${slot}/v1/deploy/interrupt/`);
  print(options.json ? JSON.stringify(job, null, 2) : `${slot} is being undeployed`);
}

/** Null where nothing is deployed. */
async function ask<Answer>(api: ManagementApi, slot: string, path: string): Promise<Answer | null> {
  return api.call<Answer>('GET', `/api/${slot}/v1/${path}`).catch((error: Error) => {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  });
}
