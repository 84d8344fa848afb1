import { Conflict, InternalFault, OutOfSpace, Problem } from '../../contracts/problems.ts';

/** What a failed call of the file system means to the caller; the path stays in the cause, for the log. */
export function fileProblem(error: unknown, key: string): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new OutOfSpace('The file store has no room left', { cause: error });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new InternalFault(
        "The file store's folder does not let the platform in: check its permissions",
        {
          cause: error,
        },
      );
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
      return new InternalFault('The file store could not do its work', { cause: error });
  }
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Nothing is there: also where a part of the path is a file, or the path is a folder. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '');
}
