let watched = false;

/** Prints a command's result. Everything else goes to stderr, so that the result can be piped. */
export function print(text: string): void {
  if (!watched) process.stdout.on('error', exitOnClosedPipe);
  watched = true;
  process.stdout.write(`${text}\n`);
}

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Exits silently when the reader of a pipe, such as `head`, closes it. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
