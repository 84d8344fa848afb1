import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Deployment } from '../../contracts/management/deployments.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { tell } from '../terminal/print.ts';

interface Replacement {
  slot: string;
  model: string;
  current: Deployment | null;
  /** The deployment that is being replaced stops first. */
  replace: boolean;
  yes: boolean;
}

/** Says what a deployment replaces. Asks first if it is another model, unless that was agreed to by a flag. */
export async function confirmReplacement(replacement: Replacement): Promise<void> {
  const { slot, model, current, replace, yes } = replacement;
  if (!current || current.model_id === model) return;
  const agreed = yes || replace;
  const instead = 'or --slot <name> to serve both';
  if (!agreed && !process.stdin.isTTY) {
    throw new StartupError(`${slot} serves ${current.model_id}; use --yes to replace it, ${instead}`);
  }
  const until = replace ? 'which is stopped first' : `which serves until ${model} is ready`;
  tell(`${slot}: ${model} replaces ${current.model_id}, ${until}`);
  if (agreed) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl+C rejects the question, and the end of the input leaves it open: both mean no.
  const closed = once(terminal, 'close').then(() => '');
  const asked = terminal.question('Replace it? [y/N] ').catch(() => '');
  const answer = await Promise.race([asked, closed]);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new StartupError(`nothing was changed; use --yes to replace it, ${instead}`);
}
