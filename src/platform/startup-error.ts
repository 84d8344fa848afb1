/**
 * The program can't start, and the person at the terminal can do something about it.
 * The command line prints the message alone, without a stack, and exits with code 1.
 */
export class StartupError extends Error {
  override name = 'StartupError';
}
