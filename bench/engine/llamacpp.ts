// The llama.cpp engine in one process, each figure as a ratio measured in the same run, turn by turn: tokens/s
// against the bare binding at 1 and 8 streams, the second turn's first token against a cold prompt, a prompt in
// chunks against one in a piece, an adapter against the base, and how long an abort in a prompt takes.
// `node bench/engine/llamacpp.ts <model.gguf> [threads] [rounds]`
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLlama, LlamaLogLevel, type LlamaModel, readGgufFileInfo } from 'node-llama-cpp';
import type { GenerationRequest, LanguageEngine } from '../../src/pod/engine.ts';
import { startLlamaCpp } from '../../src/pod/engines/llamacpp/engine.ts';
import { writeGguf } from '../../test/testkit/gguf-writer.ts';
import { benchPrompt, runStreams } from './streams.ts';

const [modelPath, threadsText, roundsText] = process.argv.slice(2);
if (!modelPath) throw new Error('usage: node bench/engine/llamacpp.ts <model.gguf> [threads] [rounds]');
const threads = Number(threadsText ?? Math.max(1, availableParallelism() - 1));
const rounds = Number(roundsText ?? 3);
const tokens = 64;
const contextLength = 2048;
const streams = 8;

const folder = mkdtempSync(join(tmpdir(), 'bench-engine-'));
const adapter = join(folder, 'adapter.gguf');
await writeRandomAdapter(modelPath, adapter, 16);
const engine = await startLlamaCpp({
  modelPath,
  threads,
  contextLength,
  parallel: streams,
  adapters: { random: adapter },
});
const llama = await getLlama({
  build: 'never',
  gpu: false,
  maxThreads: threads,
  logLevel: LlamaLogLevel.error,
});
const bareModel = await llama.loadModel({ modelPath });

for (const count of [1, streams])
  await compare(`tokens/s at ${count} ${count === 1 ? 'stream' : 'streams'}, engine / bare binding`, {
    ours: async (round) => (await runStreams(engine, { streams: count, tokens, round })).tokensPerSecond,
    bare: (round) => bareStreams(bareModel, engine, count, round),
  });
await compare('tokens/s, adapter / base', {
  ours: async (round) =>
    (await runStreams(engine, { streams: 1, tokens, adapter: 'random', round })).tokensPerSecond,
  bare: async (round) =>
    (await runStreams(engine, { streams: 1, tokens, round: round + 50 })).tokensPerSecond,
});
await compare('prompt tokens/s, in chunks / in one piece', {
  ours: async (round) => promptSpeed(await firstToken(engine, longPrompt(round))),
  bare: async (round) => barePrompt(bareModel, engine, longPrompt(round + 500)),
});
await secondTurn();
await abortInPrompt();
await engine.close();
rmSync(folder, { recursive: true });
process.exit(0);

/** The best of each side counts: both meet the same disturbances. */
async function compare(
  name: string,
  sides: Record<'ours' | 'bare', (round: number) => Promise<number>>,
): Promise<void> {
  const best = { ours: 0, bare: 0 };
  for (let round = 0; round < rounds; round++) {
    best.ours = Math.max(best.ours, await sides.ours(round));
    best.bare = Math.max(best.bare, await sides.bare(round));
  }
  console.log(
    `${name}: ${(best.ours / best.bare).toFixed(3)} (${best.ours.toFixed(1)} / ${best.bare.toFixed(1)})`,
  );
}

async function bareStreams(
  model: LlamaModel,
  tokenizer: LanguageEngine,
  count: number,
  round: number,
): Promise<number> {
  const context = await model.createContext({ contextSize: contextLength, sequences: count });
  const prompts = await Promise.all(
    Array.from({ length: count }, (_, stream) => tokenizer.tokenize(benchPrompt(stream + 100 * round, 20))),
  );
  const began = performance.now();
  await Promise.all(
    prompts.map(async (prompt) => {
      let made = 0;
      const sequence = context.getSequence();
      for await (const _ of sequence.evaluate(prompt as never, { temperature: 0, yieldEogToken: true }))
        if (++made >= tokens) break;
    }),
  );
  const speed = ((count * tokens) / (performance.now() - began)) * 1000;
  await context.dispose();
  return speed;
}

function longPrompt(round: number): GenerationRequest['prompt'] {
  return benchPrompt(round, 960);
}

async function firstToken(target: LanguageEngine, prompt: GenerationRequest['prompt']) {
  const began = performance.now();
  const request = { prompt, maxTokens: 1, sampling: { temperature: 0 } };
  for await (const event of target.generate(request, new AbortController().signal))
    if (event.kind === 'prompt') return { milliseconds: performance.now() - began, tokens: event.tokens };
  throw new Error('the prompt was not evaluated');
}

function promptSpeed({ milliseconds, tokens: count }: { milliseconds: number; tokens: number }): number {
  return (count / milliseconds) * 1000;
}

async function barePrompt(
  model: LlamaModel,
  tokenizer: LanguageEngine,
  prompt: GenerationRequest['prompt'],
): Promise<number> {
  const evaluated = await tokenizer.tokenize(prompt);
  const context = await model.createContext({ contextSize: contextLength });
  const began = performance.now();
  for await (const _ of context.getSequence().evaluate(evaluated as never, { temperature: 0 })) break;
  const milliseconds = performance.now() - began;
  await context.dispose();
  return promptSpeed({ milliseconds, tokens: evaluated.length });
}

async function secondTurn(): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const prompt = longPrompt(1000 + round);
    const cold = await firstToken(engine, prompt);
    if (prompt.kind !== 'chat') throw new Error('a conversation was expected');
    const messages = [
      ...prompt.messages,
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'And then?' },
    ];
    const second = await firstToken(engine, { kind: 'chat', messages });
    ratios.push(second.milliseconds / cold.milliseconds);
    console.log(
      `  cold ${cold.milliseconds.toFixed(0)} ms for ${cold.tokens} tokens, second turn ${second.milliseconds.toFixed(0)} ms`,
    );
  }
  console.log(`first token, second turn / cold: ${Math.min(...ratios).toFixed(3)}`);
}

async function abortInPrompt(): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const abort = new AbortController();
    const asked = (async () => {
      for await (const _ of engine.generate({ prompt: longPrompt(2000 + round) }, abort.signal));
    })().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const began = performance.now();
    abort.abort();
    await asked;
    while (engine.status().running > 0) await new Promise((resolve) => setImmediate(resolve));
    console.log(`abort in the middle of a prompt: ${(performance.now() - began).toFixed(0)} ms`);
  }
}

/** An adapter of the usual shape (all seven linear layers) with random numbers: it costs what a trained one costs. */
async function writeRandomAdapter(model: string, path: string, rank: number): Promise<void> {
  const { fullTensorInfo = [], metadata } = await readGgufFileInfo(model);
  const targets = fullTensorInfo.filter(({ name }) =>
    /^blk\.\d+\.(attn_(q|k|v|output)|ffn_(gate|up|down))\.weight$/.test(name),
  );
  const random = (count: number) => Float32Array.from({ length: count }, () => (Math.random() - 0.5) / 50);
  writeGguf(
    path,
    {
      'general.architecture': metadata.general.architecture,
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': { float: rank },
    },
    targets.flatMap(({ name, dimensions }) => {
      const [inputs, outputs] = dimensions.map(Number) as [number, number];
      return [
        { name: `${name}.lora_a`, dimensions: [inputs, rank], values: random(inputs * rank) },
        { name: `${name}.lora_b`, dimensions: [rank, outputs], values: random(rank * outputs) },
      ];
    }),
  );
}
