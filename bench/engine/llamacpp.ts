// Compares the llama.cpp engine with the binding itself in one process, alternately: tokens/s at 1 and 8 streams, a
// prompt in chunks against a prompt in one piece, and how long aborting a prompt takes to free its sequence.
// `node bench/engine/llamacpp.ts <model.gguf> [threads] [rounds]`
import { availableParallelism } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { getLlama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp';
import type { Prompt } from '../../src/pod/engine.ts';
import { startLlamaCpp } from '../../src/pod/engines/llamacpp/engine.ts';
import { compare } from './compare.ts';
import { benchPrompt, runStreams } from './streams.ts';

const [modelPath, threadsText, roundsText] = process.argv.slice(2);
if (!modelPath) throw new Error('usage: node bench/engine/llamacpp.ts <model.gguf> [threads] [rounds]');
const threads = Number(threadsText ?? Math.max(1, availableParallelism() - 1));
const rounds = Number(roundsText ?? 5);
const tokens = 64;
const contextLength = 2048;
const mostStreams = 8;

const engine = await startLlamaCpp({ modelPath, threads, contextLength, parallel: mostStreams });
const llama = await getLlama({ build: 'never', maxThreads: threads, logLevel: LlamaLogLevel.error });
const bareModel = await llama.loadModel({ modelPath });

for (const streams of [1, mostStreams])
  await compare({
    name: `engine vs. plain binding, ${streams} stream${streams === 1 ? '' : 's'}`,
    unit: 'tokens/s',
    goal: 0.95,
    rounds,
    ours: async (round) => (await runStreams(engine, { streams, tokens, round })).tokensPerSecond,
    theirs: (round) => bareStreams(bareModel, streams, round),
  });
await compare({
  name: 'prompt of 1,000 tokens: in chunks vs. in one piece',
  unit: 'tokens/s',
  goal: 0.95,
  rounds,
  ours: (round) => promptSpeed(benchPrompt(1000 + round, 960)),
  theirs: (round) => barePromptSpeed(bareModel, benchPrompt(2000 + round, 960)),
});
for (let round = 0; round < rounds; round++)
  console.log(`abort in the middle of a prompt: ${(await abortInPrompt(3000 + round)).toFixed(0)} ms`);
await engine.close();
await llama.dispose();

async function bareStreams(model: LlamaModel, count: number, round: number): Promise<number> {
  const context = await model.createContext({ contextSize: contextLength, sequences: count });
  const prompts = await Promise.all(
    Array.from({ length: count }, (_, stream) => engine.tokenize(benchPrompt(stream + 100 * round, 20))),
  );
  const began = performance.now();
  await Promise.all(
    prompts.map(async (prompt) => {
      const sequence = context.getSequence();
      let made = 0;
      for await (const _ of sequence.evaluate(prompt as never, { temperature: 0, yieldEogToken: true }))
        if (++made >= tokens) break;
    }),
  );
  const speed = ((count * tokens) / (performance.now() - began)) * 1000;
  await context.dispose();
  return speed;
}

async function promptSpeed(prompt: Prompt): Promise<number> {
  const began = performance.now();
  const request = { prompt, maxTokens: 1, sampling: { temperature: 0 } };
  for await (const event of engine.generate(request, new AbortController().signal))
    if (event.kind === 'prompt') return (event.tokens / (performance.now() - began)) * 1000;
  throw new Error('the prompt was not evaluated');
}

async function barePromptSpeed(model: LlamaModel, prompt: Prompt): Promise<number> {
  const evaluated = await engine.tokenize(prompt);
  const context = await model.createContext({ contextSize: contextLength });
  const began = performance.now();
  for await (const _ of context.getSequence().evaluate(evaluated as never, { temperature: 0 })) break;
  const speed = (evaluated.length / (performance.now() - began)) * 1000;
  await context.dispose();
  return speed;
}

async function abortInPrompt(stream: number): Promise<number> {
  const abort = new AbortController();
  const asked = (async () => {
    for await (const _ of engine.generate({ prompt: benchPrompt(stream, 960) }, abort.signal));
  })().catch(() => undefined);
  await setTimeout(300);
  const began = performance.now();
  abort.abort();
  await asked;
  while (engine.status().running > 0) await setImmediate();
  return performance.now() - began;
}
