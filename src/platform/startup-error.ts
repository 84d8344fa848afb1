/**
 * The program can't start for a reason that the user can fix.
 * The command line prints only the message, without a stack, and exits with code 1.
 */
export class StartupError extends Error {
  override name = 'StartupError';
}
