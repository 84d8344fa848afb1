import { type Command, Option } from 'commander';
import { type Deployment, type DeployStatus, Slot } from '../../contracts/management/deployments.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { openManagement, Refused } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/print.ts';

interface SlotOptions extends ServerOptions {
  slot: Slot;
  json?: boolean;
}

interface DeployOptions extends SlotOptions {
  adapter?: string[];
  dtype?: string;
  replicas?: number;
  wait?: boolean;
}

const examples = `
Examples:
  roundhouse deploy smollm2-135m-instruct --wait
  roundhouse deploy org/base --adapter law tax --replicas 2
  roundhouse deploy all-minilm-l6-v2 --slot embeddings
  roundhouse deploy status
  roundhouse deploy stop --slot rerank`;

export function register(program: Command): void {
  const command = program
    .command('deploy')
    .description(
      'Deploy a model with its adapters; the current deployment serves until the new one is ready',
    );
  withSlot(command)
    .argument('[model]', "id of a model in the library ('roundhouse models list')")
    .option('--adapter <ids...>', 'adapters of the model, each served under its own name')
    .option('--dtype <dtype>', 'auto, float32, float16, bfloat16, or a quantisation such as Q4_K_M')
    .option('--replicas <number>', 'number of pods', positiveInteger)
    .option('--wait', 'wait until the deployment is ready and show its progress')
    .addHelpText('after', examples)
    .action(deploy);
  // Options before a subcommand's name are parsed by the parent command, which has the same options.
  withSlot(
    command.command('status').description('Show what a slot serves and its last deployment job'),
  ).action((_: SlotOptions, own: Command) => status(own.optsWithGlobals()));
  withSlot(command.command('stop').description('Undeploy the model of a slot')).action(
    (_: SlotOptions, own: Command) => stop(own.optsWithGlobals()),
  );
}

function withSlot(command: Command): Command {
  return withServerOptions(command)
    .addOption(new Option('--slot <slot>', 'slot to use').choices(Slot.options).default('chat'))
    .option('--json', 'print JSON');
}

async function deploy(model: string | undefined, options: DeployOptions): Promise<void> {
  if (model === undefined)
    throw new StartupError("missing argument 'model'; list models with 'roundhouse models list'");
  const { reportJob } = await import('../jobs/report-job.ts');
  const api = await openManagement(options);
  const { adapter, dtype, replicas } = options;
  const request = {
    model_id: model,
    ...(adapter ? { adapter_ids: adapter } : {}),
    ...(dtype ? { dtype } : {}),
    ...(replicas ? { replicas } : {}),
  };
  await reportJob(api, await api.call<Job>('POST', `/api/${options.slot}/v1/deploy/`, request), options);
}

async function status(options: SlotOptions): Promise<void> {
  const api = await openManagement(options);
  const ask = <Answer>(path: string) =>
    api.call<Answer>('GET', `/api/${options.slot}/v1/${path}`).catch((error: Error) => {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    });
  const serving = await ask<Deployment>('deploy/');
  const last = await ask<DeployStatus>('deploy/status');
  if (options.json) return printJson({ serving, last });
  print(serving ? `${options.slot} serves ${named(serving)}` : `${options.slot} serves nothing`);
  if (last)
    print(`last job: ${last.job.name} ${last.job.status}${last.job.error ? `: ${last.job.error}` : ''}`);
}

async function stop(options: SlotOptions): Promise<void> {
  const api = await openManagement(options);
  const job = await api.call<Job>('POST', `/api/${options.slot}/v1/deploy/interrupt/`);
  print(options.json ? JSON.stringify(job, null, 2) : `${options.slot} is being undeployed`);
}

function named({ model_id, adapter_ids, replicas = 1, ready = replicas, error }: Deployment): string {
  const adapters = adapter_ids.length > 0 ? ` with ${adapter_ids.join(', ')}` : '';
  const pods = replicas > 1 ? ` in ${replicas} pods` : '';
  const away = ready < replicas ? `; ${ready} of ${replicas} pods ready${error ? `: ${error}` : ''}` : '';
  return `${model_id}${adapters}${pods}${away}`;
}
