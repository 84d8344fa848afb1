import { type Command, InvalidArgumentError } from 'commander';
import type { FinetuneStatus } from '../../contracts/management/finetuning.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { slotName } from '../deploy/deploy-request.ts';
import type { RunOptions } from '../finetune/run-finetune.ts';
import { openManagement, Refused } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/print.ts';

const examples = `
Examples:
  roundhouse finetune run support.jsonl --name support
  roundhouse finetune run support.jsonl --model smollm2-135m-instruct --name support --deploy --min-improvement 0.2`;

export function register(program: Command): void {
  const finetune = program.command('finetune').description('Train adapters on conversations');

  withServerOptions(
    finetune
      .command('run <dataset>')
      .description('Upload a data set, train an adapter, compare it with the base model and deploy it'),
  )
    .option('--model <id>', 'base model (default: the only trainable model)')
    .option('--name <name>', 'name of the adapter (default: the file name)')
    .option('--epochs <number>', 'number of passes over the data set', positive)
    .option('--learning-rate <number>', 'learning rate', positive)
    .option('--rank <number>', 'LoRA rank', positiveInteger)
    .option('--max-seq-len <tokens>', 'truncate longer conversations', positiveInteger)
    .option('--seed <number>', 'random seed, to make a run reproducible', positiveInteger)
    .option('--deploy', 'deploy the base model with the adapter afterwards')
    .option('--slot <slot>', 'slot to deploy to (default: chat)', slotName)
    .option('-y, --yes', 'replace another model in the slot without asking')
    .option(
      '--min-improvement <share>',
      'deploy only if the held-out loss fell by this share, such as 0.2',
      share,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(run);

  withServerOptions(finetune.command('status').description('Show the running or last training'))
    .option('--json', 'print JSON')
    .action(status);

  withServerOptions(
    finetune.command('stop').description('Stop the running training; running it again resumes it'),
  )
    .option('--keep', 'finish early and keep the adapter as trained so far')
    .option('--json', 'print JSON')
    .action(stop);
}

async function run(dataset: string, options: ServerOptions & RunOptions): Promise<void> {
  const { runFinetune } = await import('../finetune/run-finetune.ts');
  await runFinetune(await openManagement(options), dataset, options);
}

async function status(options: ServerOptions & { json?: boolean }): Promise<void> {
  const api = await openManagement(options);
  const current = await api.call<FinetuneStatus>('GET', 'finetune/status').catch((error: unknown) => {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    throw new StartupError(`${error.message}; start one with 'roundhouse finetune run <file>'`);
  });
  if (options.json) return printJson(current);
  const { describeRun } = await import('../finetune/describe-run.ts');
  describeRun(current);
}

async function stop(options: ServerOptions & { json?: boolean; keep?: boolean }): Promise<void> {
  const verb = options.keep ? 'finish' : 'interrupt';
  const job = await (await openManagement(options)).call<Job>('POST', `finetune/${verb}/`);
  const kept = options.keep ? 'its adapter' : 'its checkpoint';
  print(options.json ? JSON.stringify(job, null, 2) : `${job.name} is being stopped; ${kept} is kept`);
}

function positive(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a number greater than 0');
}

function share(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('expected a number from 0 to 1');
}
