import { tell } from './print.ts';

/** Names the obvious next commands to a person at a terminal; scripts and pipes get the result alone. */
export function hintNext(...commands: string[]): void {
  if (!process.stdout.isTTY || !process.stderr.isTTY) return;
  for (const command of commands) tell(`next: roundhouse ${command}`);
}

/** Quotes an argument for a command that a user may copy. */
export const quoted = (argument: string) =>
  /^[\p{L}\p{N}_./:@%+=,-]+$/u.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
