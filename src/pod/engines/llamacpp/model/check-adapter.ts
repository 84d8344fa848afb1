import { type GgufFileInfo, type LlamaModel, readGgufFileInfo } from 'node-llama-cpp';
import { BadRequest } from '../../../../contracts/problems.ts';

/** Refuses, in words, a file that is no LoRA adapter of this model. Nothing is loaded yet. */
export async function checkAdapter(model: LlamaModel, name: string, path: string): Promise<void> {
  const refuse = (reason: string, cause?: unknown) =>
    new BadRequest(`Adapter '${name}' can't be used: ${reason}`, { code: 'invalid_adapter', cause });
  let file: GgufFileInfo;
  try {
    file = await readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false });
  } catch (error) {
    throw refuse('its file is missing or is not a readable GGUF file.', error);
  }
  const { general, adapter } = file.metadata as unknown as AdapterMetadata;
  if (general?.type !== 'adapter' || adapter?.type !== 'lora')
    throw refuse('its file is not a LoRA adapter.');
  if (general.architecture !== model.architecture)
    throw refuse(
      `it was made for the architecture '${general.architecture}', and the model is '${model.architecture}'.`,
    );
  const misfit = findMisfit(file, model.fileInfo);
  if (misfit) throw refuse(`it was made for another base model: ${misfit}.`);
}

interface AdapterMetadata {
  general?: { type?: string; architecture?: string };
  adapter?: { type?: string };
}

function findMisfit(adapter: GgufFileInfo, model: GgufFileInfo): string | undefined {
  const base = new Map(
    (model.fullTensorInfo ?? []).map(({ name, dimensions }) => [name, dimensions.map(Number)]),
  );
  for (const { name, dimensions } of adapter.fullTensorInfo ?? []) {
    const part = /^(.+)\.lora_([ab])$/.exec(name);
    if (!part) continue;
    const [, target, side] = part as unknown as [string, string, 'a' | 'b'];
    const sides = base.get(target);
    if (!sides) return `it changes '${target}', which the model does not have`;
    const found = Number(side === 'a' ? dimensions[0] : dimensions[1]);
    const expected = side === 'a' ? sides[0] : sides[1];
    // Of token embeddings the A side is laid out the other way round.
    if (found !== expected && target !== 'token_embd.weight')
      return `'${target}' has ${expected} ${side === 'a' ? 'inputs' : 'outputs'} in the model and ${found} in the adapter`;
  }
  return undefined;
}
