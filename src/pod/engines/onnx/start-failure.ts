import { OutOfSpace } from '../../../contracts/problems.ts';
import { EngineStartFailed, type StartFailure } from '../../engine.ts';

const outOfMemory = /bad_alloc|failed to allocate|out of memory|cannot allocate/i;

/** Why the runtime would not take a model, in words an operator can act on. */
export function explainStart(weights: string, error: unknown): EngineStartFailed {
  if (error instanceof EngineStartFailed) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [failure, words] = judge(text);
  return new EngineStartFailed(failure, `The model ${weights} ${words}`, { cause: error });
}

function judge(text: string): [StartFailure, string] {
  if (outOfMemory.test(text)) return ['out-of-memory', 'does not fit into the memory of this machine.'];
  if (/protobuf parsing failed|does not have a graph|invalid protobuf/i.test(text)) {
    return ['corrupt-file', 'is damaged or only half downloaded: it can not be read as ONNX.'];
  }
  if (/external data|\.onnx_data|cannot get file size|file doesn't exist/i.test(text)) {
    return ['missing-file', `lacks a file that it names: ${firstLine(text)}`];
  }
  if (/opset|is not a registered|not implemented|unsupported model IR/i.test(text)) {
    return ['unsupported', `needs something that this runtime does not have: ${firstLine(text)}`];
  }
  return ['failed', `can not be started: ${firstLine(text)}`];
}

/** A failure while running: memory is the caller's business too, anything else is a fault. */
export function explainRun(error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error);
  if (!outOfMemory.test(text)) return error;
  return new OutOfSpace('The engine ran out of memory over this request; send fewer or shorter inputs.', {
    cause: error,
  });
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
}
