import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { EngineStartFailed } from '../../engine.ts';

/** Finds the program and its leading arguments, from the operator's command or on the PATH. */
export function findProgram(
  server: { title: string; program: string },
  command: string | undefined,
  environment: NodeJS.ProcessEnv,
): { file: string; first: string[] } {
  const [name = '', ...first] = (command ?? server.program).trim().split(/\s+/);
  const places = isAbsolute(name) || name.includes('/') ? [resolve(name)] : onPath(name, environment);
  const file = places.find(isExecutable);
  if (file !== undefined) return { file, first };
  throw new EngineStartFailed(
    'missing-file',
    command === undefined
      ? `${server.title} is not installed: '${server.program}' is not on the PATH. Install it, or specify it with --engine-command.`
      : `The command '${name}' for ${server.title} does not exist or is not executable.`,
  );
}

function onPath(name: string, environment: NodeJS.ProcessEnv): string[] {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
