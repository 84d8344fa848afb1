import { type GgufFileInfo, type LlamaModel, readGgufFileInfo } from 'node-llama-cpp';
import { BadRequest } from '../../../../contracts/problems.ts';

/** Rejects a file that is not a LoRA adapter for this model, with the reason. Loads nothing. */
export async function checkAdapter(model: LlamaModel, name: string, path: string): Promise<void> {
  const reject = (reason: string, cause?: unknown) =>
    new BadRequest(`Adapter '${name}' can't be used: ${reason}`, { code: 'invalid_adapter', cause });
  let file: GgufFileInfo;
  try {
    file = await readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false });
  } catch (error) {
    throw reject('its file is missing or is not a readable GGUF file.', error);
  }
  const { general, adapter } = file.metadata as unknown as AdapterMetadata;
  if (general?.type !== 'adapter' || adapter?.type !== 'lora')
    throw reject('its file is not a LoRA adapter.');
  if (general.architecture !== model.architecture)
    throw reject(
      `it was made for the architecture '${general.architecture}', but the model is '${model.architecture}'.`,
    );
  const mismatch = findMismatch(file, model.fileInfo);
  if (mismatch) throw reject(`it was made for another base model: ${mismatch}.`);
}

interface AdapterMetadata {
  general?: { type?: string; architecture?: string };
  adapter?: { type?: string };
}

function findMismatch(adapter: GgufFileInfo, model: GgufFileInfo): string | undefined {
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
    // The A matrix of token embeddings is transposed.
    if (found !== expected && target !== 'token_embd.weight')
      return `'${target}' has ${expected} ${side === 'a' ? 'inputs' : 'outputs'} in the model and ${found} in the adapter`;
  }
  return undefined;
}
