import { Command } from 'commander';
import { Problem } from '../contracts/problems.ts';
import { StartupError } from '../platform/startup-error.ts';
import { programVersion } from '../platform/version.ts';
import { register as accounts } from './commands/accounts.ts';
import { register as audit } from './commands/audit.ts';
import { register as bots } from './commands/bots.ts';
import { register as chat } from './commands/chat.ts';
import { register as config } from './commands/config.ts';
import { register as createBot } from './commands/create-bot.ts';
import { register as datasets } from './commands/datasets.ts';
import { register as deploy } from './commands/deploy.ts';
import { register as finetune } from './commands/finetune.ts';
import { register as jobs } from './commands/jobs.ts';
import { register as keys } from './commands/keys.ts';
import { register as layout } from './commands/layout.ts';
import { register as models } from './commands/models.ts';
import { register as pod } from './commands/pod.ts';
import { register as run } from './commands/run.ts';
import { register as serve } from './commands/serve.ts';
import { register as setup } from './commands/setup.ts';
import { register as status } from './commands/status.ts';
import { register as usage } from './commands/usage.ts';
import { register as version } from './commands/version.ts';
import { tell } from './terminal/print.ts';

/** One file per command; each loads its dependencies only when it runs. */
const commands = [
  serve,
  run,
  status,
  chat,
  pod,
  models,
  deploy,
  jobs,
  datasets,
  finetune,
  bots,
  createBot,
  layout,
  keys,
  accounts,
  usage,
  audit,
  config,
  setup,
  version,
];

export async function runCommandLine(argv: string[]): Promise<void> {
  const program = new Command('roundhouse')
    .description('Run language models on your own machines.')
    .version(programVersion)
    .showHelpAfterError('(use --help for usage)')
    .showSuggestionAfterError();
  for (const register of commands) register(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof StartupError) && !(error instanceof Problem)) throw error;
    tell(`roundhouse: ${error.message}`);
    process.exitCode = 1;
  }
}
