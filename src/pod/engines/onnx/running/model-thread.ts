import { readFile, stat } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { maxModelBytes } from '../../../../platform/onnx/onnx-model.ts';
import { pool } from '../pooling.ts';
import type { Pooling } from '../recipe.ts';
import { scaleByRow } from '../scales/scale-by-row.ts';
import type { Sequence } from '../sequence.ts';
import { serveThread } from './thread.ts';

export interface ModelSettings {
  weights: string;
  threads: number;
  padding: number;
  /** Whether to replace dynamic quantisation per tensor by one per row. If the file does not allow it, calls fail. */
  scaleByRow: boolean;
}

export type ModelRequest =
  | { kind: 'describe' }
  | { kind: 'run'; sequences: Sequence[]; output: string; pooling: Pooling; alone: boolean };

type RunRequest = Extract<ModelRequest, { kind: 'run' }>;

export interface ModelDescription {
  inputs: string[];
  /** Outputs with their number of dimensions. */
  outputs: { name: string; rank: number }[];
}

/** A description, or one row per sequence. */
export type ModelResult = { description: ModelDescription } | { rows: Float32Array[] };

serveThread<ModelSettings, ModelRequest, ModelResult>(async (settings) => {
  const { padding } = settings;
  const session = await openSession(settings);
  return async (request) => {
    if (request.kind === 'describe') return { result: { description: describe(session) } };
    const rows = await (request.alone ? runEach : run)(session, request, padding);
    return { result: { rows }, transfer: rows.map((row) => row.buffer as ArrayBuffer) };
  };
});

async function openSession({ weights, threads, scaleByRow }: ModelSettings): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Spinning threads would take the core that the pod needs for its own requests.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    logSeverityLevel: 3,
  };
  return scaleByRow
    ? InferenceSession.create(await readScaledByRow(weights), options)
    : InferenceSession.create(weights, options);
}

async function readScaledByRow(weights: string): Promise<Uint8Array> {
  const { size } = await stat(weights);
  const changed = size <= maxModelBytes ? scaleByRow(await readFile(weights)) : undefined;
  if (changed === undefined) throw new Error('The model has no quantisation that can be changed.');
  return changed;
}

function describe(session: InferenceSession): ModelDescription {
  const outputs = session.outputMetadata.map((output) => ({
    name: output.name,
    rank: output.isTensor ? output.shape.length : 0,
  }));
  return { inputs: [...session.inputNames], outputs };
}

async function runEach(
  session: InferenceSession,
  request: RunRequest,
  padding: number,
): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  for (const sequence of request.sequences)
    rows.push(...(await run(session, { ...request, sequences: [sequence] }, padding)));
  return rows;
}

async function run(session: InferenceSession, request: RunRequest, padding: number): Promise<Float32Array[]> {
  const { sequences, output } = request;
  const lengths = sequences.map(({ ids }) => ids.length);
  const longest = Math.max(...lengths);
  const shape = [sequences.length, longest];
  const feeds: Record<string, Tensor> = {};
  for (const name of session.inputNames) {
    feeds[name] = int64(sequences, longest, fillerOf(name, padding), shape);
  }
  const answer = await session.run(feeds, [output]);
  const tensor = answer[output] as Tensor;
  const raw = (await tensor.getData()) as Float32Array;
  // 16-bit floats arrive in a different array type.
  const data = raw instanceof Float32Array ? raw : Float32Array.from(raw);
  const size = tensor.dims.at(-1) as number;
  if (tensor.dims.length === 3) return pool(data, lengths, size, request.pooling);
  return lengths.map((_, row) => data.slice(row * size, (row + 1) * size));
}

interface Filler {
  padding: number;
  value(sequence: Sequence, index: number): number;
}

function fillerOf(name: string, padding: number): Filler {
  if (name === 'attention_mask') return { padding: 0, value: () => 1 };
  if (name === 'token_type_ids')
    return { padding: 0, value: (sequence, index) => sequence.types?.[index] ?? 0 };
  if (name === 'position_ids') return { padding: 0, value: (_, index) => index };
  return { padding, value: (sequence, index) => sequence.ids[index] as number };
}

/** Writes 64-bit integers as pairs of 32-bit halves: all values fit in the lower half, and BigInt is slow. */
function int64(sequences: Sequence[], longest: number, filler: Filler, shape: number[]): Tensor {
  const halves = new Int32Array(sequences.length * longest * 2);
  let at = 0;
  for (const sequence of sequences) {
    for (let index = 0; index < longest; index++, at += 2) {
      halves[at] = index < sequence.ids.length ? filler.value(sequence, index) : filler.padding;
    }
  }
  return new Tensor('int64', new BigInt64Array(halves.buffer), shape);
}
