import type { Command } from 'commander';
import { withCreateOptions } from '../bots/create-options.ts';

/** The counterpart of `create_bot.py`. */
export function register(program: Command): void {
  withCreateOptions(
    program.command('create-bot <bot> [paths...]').description('Create a bot; the same as bots create'),
  );
}
