import { Conflict, InternalFault, OutOfSpace, Problem } from '../../contracts/problems.ts';

/** Converts a file system error to a problem for the caller. The path is kept in the cause, for the log. */
export function fileProblem(error: unknown, key: string): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new OutOfSpace('The file store is full', { cause: error });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new InternalFault("The platform can't access the file store's folder: check its permissions", {
        cause: error,
      });
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
    case 'ENOTEMPTY':
      return new Conflict(`'${key}' can't be stored: a file and a folder can't have the same name`, {
        cause: error,
      });
    case undefined:
      return error;
    default:
      return new InternalFault('The file store failed', { cause: error });
  }
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Whether there is no such file, including paths through a file and paths of a folder. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '');
}
