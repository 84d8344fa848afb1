import { type Command, InvalidArgumentError } from 'commander';
import type { FinetuneStatus } from '../../contracts/management/finetuning.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import type { RunOptions } from '../finetune/run-finetune.ts';
import { openManagement } from '../server/management-api.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { type ConfigOptions, withConfigOptions } from '../terminal/config-options.ts';
import { print, printJson } from '../terminal/print.ts';

const examples = `
Examples:
  roundhouse finetune run support.jsonl --name support
  roundhouse finetune run support.jsonl --model smollm2-135m-instruct --name support --deploy --min-improvement 0.2`;

export function register(program: Command): void {
  const finetune = program.command('finetune').description('Train adapters on conversations');

  withConfigOptions(
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
    .option(
      '--min-improvement <share>',
      'deploy only if the held-out loss fell by this share, such as 0.2',
      share,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(run);

  withConfigOptions(finetune.command('status').description('Show the running or last training'))
    .option('--json', 'print JSON')
    .action(status);

  withConfigOptions(
    finetune.command('stop').description('Stop the running training; running it again resumes it'),
  )
    .option('--keep', 'finish early and keep the adapter as trained so far')
    .option('--json', 'print JSON')
    .action(stop);
}

async function run(dataset: string, options: ConfigOptions & RunOptions): Promise<void> {
  const { runFinetune } = await import('../finetune/run-finetune.ts');
  await runFinetune(await openManagement(options), dataset, options);
}

async function status(options: ConfigOptions & { json?: boolean }): Promise<void> {
  const current = await (await openManagement(options)).call<FinetuneStatus>('GET', 'finetune/status');
  if (options.json) return printJson(current);
  const { formatComparison } = await import('../finetune/format-comparison.ts');
  const { trainingLine } = await import('../finetune/training-line.ts');
  const { job } = current;
  print(`${current.name}, on ${current.model_id}: ${job.status}${job.error ? `, ${job.error}` : ''}`);
  print(trainingLine(current));
  if (current.comparison) print(formatComparison(current.comparison));
}

async function stop(options: ConfigOptions & { json?: boolean; keep?: boolean }): Promise<void> {
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
