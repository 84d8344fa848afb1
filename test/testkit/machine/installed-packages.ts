import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);
const timeout = 300_000;

/** Installs npm packages (`name@1.2.3`) once, apart from ours, and returns the folder they were installed in. */
export async function npmPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = cacheFolder(join('npm', folderOf(name, packages)));
  if (existsSync(join(folder, 'ready'))) return folder;
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...options, ...packages], { cwd: folder, timeout });
  writeFileSync(join(folder, 'ready'), '');
  return folder;
}

/** Installs Python packages (`name==1.2.3`) once into an environment of their own, and returns its interpreter. */
export async function pythonPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = cacheFolder(join('python-packages', folderOf(name, packages)));
  const python = join(folder, 'bin', 'python3');
  if (existsSync(join(folder, 'ready'))) return python;
  await run('python3', ['-m', 'venv', folder], { timeout });
  const options = ['-q', '--no-compile', '--disable-pip-version-check', '--only-binary=:all:'];
  await run(python, ['-m', 'pip', 'install', ...options, ...packages], { timeout });
  writeFileSync(join(folder, 'ready'), '');
  return python;
}

const folderOf = (name: string, packages: readonly string[]) =>
  [name, ...packages.map((one) => one.replace(/^.*[@=]/, ''))].join('-');
