let watched = false;

/** What a command was asked for; all else it says goes to stderr, so that its output can be piped. */
export function print(text: string): void {
  if (!watched) process.stdout.on('error', leaveWithReader);
  watched = true;
  process.stdout.write(`${text}\n`);
}

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** `| head` has what it wanted, and goes: no more is wanted of us either. */
function leaveWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
