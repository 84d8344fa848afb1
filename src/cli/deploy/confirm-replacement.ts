import { createInterface } from 'node:readline/promises';
import type { Deployment } from '../../contracts/management/deployments.ts';
import { StartupError } from '../../platform/startup-error.ts';

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
  if (!current) return;
  const until = replace ? 'which is stopped first' : `which serves until ${model} is ready`;
  if (current.model_id === model) return;
  process.stderr.write(`${slot}: ${model} replaces ${current.model_id}, ${until}\n`);
  if (yes || replace) return;
  const instead = `or --slot <name> to serve both`;
  if (!process.stdin.isTTY) {
    throw new StartupError(`${slot} serves ${current.model_id}; use --yes to replace it, ${instead}`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Replace it? [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartupError(`nothing was changed; use --yes, ${instead}`);
}
