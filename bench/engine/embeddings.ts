/** Embeddings per second of the onnx engine compared with onnxruntime itself: same model, texts, batch and threads. */
import '../no-telemetry.ts';
import { availableParallelism } from 'node:os';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { startOnnxEmbeddings } from '../../src/pod/engines/onnx/embedding-engine.ts';
import { readModelFiles } from '../../src/pod/engines/onnx/model-files.ts';
import { normalize, pool } from '../../src/pod/engines/onnx/pooling.ts';
import { miniLmFolder } from '../../test/testkit/models/minilm.ts';
import { sentences } from './sentences.ts';

const target = 0.9;
const batch = 32;
const rounds = 5;
const roundMilliseconds = 1_500;

/** The minimum: tokenize, run and pool, all in one thread. */
async function bare(folder: string, threads: number): Promise<(texts: string[]) => Promise<unknown>> {
  const files = readModelFiles(folder);
  const tokenizer = new Tokenizer(files.tokenizer as object, files.configs.tokenizer ?? {});
  const session = await InferenceSession.create(files.weights, {
    intraOpNumThreads: threads,
    logSeverityLevel: 3,
  });
  return async (texts) => {
    const ids = texts.map((text) => tokenizer.encode(text).ids);
    const longest = Math.max(...ids.map((row) => row.length));
    const shape = [texts.length, longest];
    const tensor = (value: (row: number[], at: number) => number) =>
      new Tensor(
        'int64',
        BigInt64Array.from(
          ids.flatMap((row) => Array.from({ length: longest }, (_, at) => BigInt(value(row, at)))),
        ),
        shape,
      );
    const feeds = {
      input_ids: tensor((row, at) => row[at] ?? 0),
      attention_mask: tensor((row, at) => (at < row.length ? 1 : 0)),
      token_type_ids: tensor(() => 0),
    };
    const { last_hidden_state: hidden } = await session.run(feeds);
    const lengths = ids.map((row) => row.length);
    return pool(hidden?.data as Float32Array, lengths, 384, 'mean').map(normalize);
  };
}

async function rate(embed: (texts: string[]) => Promise<unknown>, texts: string[]): Promise<number> {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < roundMilliseconds) {
    await embed(texts.slice(done % texts.length, (done % texts.length) + batch));
    done += batch;
  }
  return (done / (performance.now() - start)) * 1_000;
}

const folder = await miniLmFolder();
const threads = Math.max(1, availableParallelism() - 1);
const texts = sentences(batch * 16);
const engine = await startOnnxEmbeddings({ model: folder, threads });
const signal = new AbortController().signal;
const contenders = {
  bare: await bare(folder, threads),
  engine: (some: string[]) => engine.embed(some, {}, signal),
};
const rates: Record<keyof typeof contenders, number[]> = { bare: [], engine: [] };
for (let round = 0; round <= rounds; round++) {
  for (const name of ['bare', 'engine'] as const) {
    const measured = await rate(contenders[name], texts);
    // The first round is a warm-up.
    if (round > 0) rates[name].push(measured);
  }
}
await engine.close();

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const ratio = median(rates.engine) / median(rates.bare);
console.log(`batch ${batch}, ${threads} thread(s), median of ${rounds} rounds`);
console.log(`plain onnxruntime ${median(rates.bare).toFixed(0)} embeddings/s`);
console.log(`onnx engine       ${median(rates.engine).toFixed(0)} embeddings/s`);
console.log(`ratio ${ratio.toFixed(3)} (target ${target})`);
if (ratio < target) process.exitCode = 1;
