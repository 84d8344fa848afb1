import { GgufFileType } from 'node-llama-cpp';
import type { EngineFacts } from '../../../engine.ts';
import type { LoadedModel } from './load-model.ts';

export function modelFacts({ model, contextLength, tokenBytes }: LoadedModel): EngineFacts {
  const { general } = model.fileInfo.metadata;
  const quantization = general.file_type === undefined ? undefined : GgufFileType[general.file_type];
  return {
    engine: 'llamacpp',
    contextLength,
    vocabularySize: tokenBytes.size,
    architecture: model.architecture,
    weightBytes: model.size,
    parameters: countParameters(model.fileInfo.fullTensorInfo ?? []),
    ...(quantization ? { quantization: quantization.replace(/^MOSTLY_|^ALL_/, '') } : {}),
  };
}

function countParameters(tensors: readonly { dimensions: readonly (number | bigint)[] }[]): number {
  return tensors.reduce(
    (total, { dimensions }) => total + dimensions.reduce<number>((size, side) => size * Number(side), 1),
    0,
  );
}
