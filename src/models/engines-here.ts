import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PodEngine } from '../contracts/dispatcher/pod-plan.ts';

/** Part of the program; they run on any machine. */
const builtIn: PodEngine[] = ['llamacpp', 'onnx'];
/** Available where the operator has installed them. */
const programs = ['vllm', 'llama-server'] as const satisfies PodEngine[];

export function enginesHere(environment: Record<string, string | undefined>): PodEngine[] {
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  return [...builtIn, ...programs.filter((name) => folders.some((folder) => isProgram(join(folder, name))))];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
