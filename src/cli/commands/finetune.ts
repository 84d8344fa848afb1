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
  const finetune = program.command('finetune').description('Train an adapter on conversations');

  withConfigOptions(
    finetune
      .command('run <dataset>')
      .description('Upload, train, compare with the base, and deploy, in one go'),
  )
    .option('--model <id>', 'the base (default: the only one that can be trained here)')
    .option('--name <name>', 'of the adapter (default: the name of the file)')
    .option('--epochs <number>', 'how often each conversation is seen', positive)
    .option('--learning-rate <number>', 'how large the steps are', positive)
    .option('--rank <number>', 'how much the adapter can hold', positiveInteger)
    .option('--max-seq-len <tokens>', 'cut longer conversations', positiveInteger)
    .option('--seed <number>', 'repeat a run exactly', positiveInteger)
    .option('--deploy', 'serve the base with the adapter afterwards')
    .option(
      '--min-improvement <share>',
      'deploy only where the held-out loss fell by this share, such as 0.2',
      share,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(run);

  withConfigOptions(finetune.command('status').description('The training that runs, else the last one'))
    .option('--json', 'print JSON')
    .action(status);

  withConfigOptions(
    finetune.command('stop').description('Stop the training that runs; the same command goes on from there'),
  )
    .option('--keep', 'end it early instead, with the adapter as it stands')
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
  const { comparisonInWords } = await import('../finetune/comparison-words.ts');
  const { trainingLine } = await import('../finetune/training-line.ts');
  const { job } = current;
  print(`${current.name}, on ${current.model_id}: ${job.status}${job.error ? `, ${job.error}` : ''}`);
  print(trainingLine(current));
  if (current.comparison) print(comparisonInWords(current.comparison));
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
  throw new InvalidArgumentError('It must be a number above 0.');
}

function share(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
}
