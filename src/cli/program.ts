import { Command } from 'commander';
import { Problem } from '../contracts/problems.ts';
import { StartupError } from '../platform/startup-error.ts';
import { programVersion } from '../platform/version.ts';
import { register as chat } from './chat.ts';
import { register as config } from './config.ts';
import { register as datasets } from './datasets.ts';
import { register as deploy } from './deploy.ts';
import { register as finetune } from './finetune.ts';
import { register as jobs } from './jobs.ts';
import { register as keys } from './keys.ts';
import { register as models } from './models.ts';
import { register as pod } from './pod.ts';
import { register as serve } from './serve.ts';
import { register as setup } from './setup.ts';
import { register as version } from './version.ts';

/** One file a command; each loads what it needs only when it runs. */
const commands = [serve, chat, pod, models, deploy, jobs, datasets, finetune, keys, config, setup, version];

export async function runCommandLine(argv: string[]): Promise<void> {
  const program = new Command('roundhouse')
    .description('Run language models on your own machines.')
    .version(programVersion)
    .showHelpAfterError('(add --help to see what there is)')
    .showSuggestionAfterError();
  for (const register of commands) register(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof StartupError) && !(error instanceof Problem)) throw error;
    process.stderr.write(`roundhouse: ${error.message}\n`);
    process.exitCode = 1;
  }
}
