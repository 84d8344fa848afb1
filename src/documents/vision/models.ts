import type { InferenceSession } from 'onnxruntime-node';
import { processEnvironment } from '../../platform/config/environment.ts';

/** Paths of the four models. All of them are needed. */
export interface LayoutModels {
  /** Regions of a page: PicoDet with the classes of CDLA. */
  layout: string;
  /** Rows and columns of a table: SLANet. */
  table: string;
  /** How far a page is turned. */
  orientation: string;
  /** Lines of text on a picture: the detector of PP-OCR. */
  lines: string;
}

export interface Model {
  /** The numbers of each output, in the model's order. */
  run(input: Float32Array, shape: number[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Opens a model with one input. It runs on one thread: pages are read by several processes at once. */
export async function openModel(path: string): Promise<Model> {
  // The runtime reads the variable when it loads.
  processEnvironment().ORT_DISABLE_TELEMETRY ??= '1';
  const { InferenceSession: Session, Tensor } = await import('onnxruntime-node');
  const session: InferenceSession = await Session.create(path, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // The arena keeps the most that any picture ever needed.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
  const [input = ''] = session.inputNames;
  return {
    async run(data, shape) {
      const results = await session.run({ [input]: new Tensor('float32', data, shape) });
      return session.outputNames.map((name) => (results[name]?.data ?? []) as Float32Array);
    },
    close: () => session.release(),
  };
}
