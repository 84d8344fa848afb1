import { visible } from './visible.ts';

let watched = false;

/** Prints a command's result. Everything else goes to stderr, so that the result can be piped. */
export function print(text: string): void {
  if (!watched) process.stdout.on('error', exitOnClosedPipe);
  watched = true;
  process.stdout.write(`${visible(text)}\n`);
}

/** Writes progress, notes and errors, which don't belong to the result. */
export function tell(text: string): void {
  process.stderr.write(`${visible(text)}\n`);
}

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Exits silently when the reader of a pipe, such as `head`, closes it. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
