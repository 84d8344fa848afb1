import { OutOfSpace } from '../../../contracts/problems.ts';
import { EngineStartFailed, type StartFailure } from '../../engine.ts';

const outOfMemory = /bad_alloc|failed to allocate|out of memory|cannot allocate/i;

/** Explains why the runtime rejected a model, so that an operator can act on it. */
export function explainStart(weights: string, error: unknown): EngineStartFailed {
  if (error instanceof EngineStartFailed) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [failure, explanation] = judge(text);
  return new EngineStartFailed(failure, `The model ${weights} ${explanation}`, { cause: error });
}

function judge(text: string): [StartFailure, string] {
  if (outOfMemory.test(text)) return ['out-of-memory', 'does not fit into the memory of this machine.'];
  if (/protobuf parsing failed|does not have a graph|invalid protobuf/i.test(text)) {
    return ['corrupt-file', 'is damaged or incompletely downloaded: it cannot be read as ONNX.'];
  }
  if (/external data|\.onnx_data|cannot get file size|file doesn't exist/i.test(text)) {
    return ['missing-file', `refers to a missing file: ${firstLine(text)}`];
  }
  if (/opset|is not a registered|not implemented|unsupported model IR/i.test(text)) {
    return ['unsupported', `needs a feature that this runtime does not support: ${firstLine(text)}`];
  }
  return ['failed', `can't be started: ${firstLine(text)}`];
}

/** Explains a failure at run time. Callers can act on a lack of memory; other errors are internal. */
export function explainRun(error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error);
  if (!outOfMemory.test(text)) return error;
  return new OutOfSpace('The engine ran out of memory for this request. Send fewer or shorter inputs.', {
    cause: error,
  });
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
}
