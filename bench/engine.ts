// Compares a pod with its engine in one run: tokens and vectors per second over HTTP and in process, time to first token
// of a second turn, an adapter, and llama-server if it is available. `node bench/engine.ts [parts]`, where parts are
// generation, second-turn, adapter, llama-server and embeddings.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { LanguageEngine } from '../src/pod/engine.ts';
import { startLlamaCpp } from '../src/pod/engines/llamacpp/engine.ts';
import { startOnnxEmbeddings } from '../src/pod/engines/onnx/embedding-engine.ts';
import { findGguf } from '../src/pod/find-gguf.ts';
import { podService } from '../src/pod/pod-service.ts';
import { dataFolderWith } from '../test/testkit/models/catalog-model.ts';
import { llamaServerProgram } from '../test/testkit/pods/llama-server.ts';
import { startPodOver } from '../test/testkit/pods/scripted-pod.ts';
import { bareEmbedder } from './engine/bare-embeddings.ts';
import { type Client, startClient } from './engine/client.ts';
import { compare, type Figure, isMet } from './engine/compare.ts';
import { embeddingTexts } from './engine/embedding-texts.ts';
import { writeRandomAdapter } from './engine/random-adapter.ts';

/** Number of parallel streams, and tokens per stream. */
const loads = [
  [1, 96],
  [8, 32],
] as const;
const threads = Math.max(1, availableParallelism() - 1);
const folder = mkdtempSync(join(tmpdir(), 'bench-engine-'));
const models = join(await dataFolderWith('smollm2-135m-instruct', 'all-minilm-l6-v2'), 'models');
const modelPath = findGguf(join(models, 'smollm2-135m-instruct'));
const client = startClient();
const figures: Figure[] = [];
const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
console.log(`${threads} thread${threads === 1 ? '' : 's'} of ${availableParallelism()} cores; ours / theirs`);

try {
  if (['generation', 'second-turn', 'adapter', 'llama-server'].some(wanted)) await language();
  if (wanted('embeddings')) await vectors();
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
const missed = figures.filter((figure) => !isMet(figure));
console.log(`${figures.length - missed.length} of ${figures.length} goals met`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function language(): Promise<void> {
  const engine = await startLlamaCpp({ modelPath, threads, parallel: 8, contextLength: 2048 });
  const pod = await startPodOver(engine, 'model', podService);
  if (wanted('generation')) await generation(engine, pod.address);
  if (wanted('second-turn')) figures.push(await secondTurn(pod.address));
  if (wanted('adapter')) await adapter(engine, pod.address);
  if (wanted('llama-server')) await againstLlamaServer(pod.address);
  await pod.close();
  await engine.close();
}

async function generation(engine: LanguageEngine, address: string): Promise<void> {
  for (const [streams, tokens] of loads) {
    figures.push(
      await compare({
        name: `HTTP vs. in process, ${streams} stream${streams === 1 ? '' : 's'}`,
        unit: 'tokens/s',
        goal: 0.95,
        ours: (round) => overHttp(client, address, 'model', questions(`h${round}`, streams), tokens),
        theirs: (round) => inProcess(engine, questions(`p${round}`, streams), tokens),
      }),
    );
  }
}

async function adapter(engine: LanguageEngine, address: string): Promise<void> {
  const file = join(folder, 'adapter.gguf');
  writeRandomAdapter(file);
  await engine.loadAdapter('adapter', file);
  figures.push(
    await compare({
      name: 'adapter (rank 16, all linear layers) vs. base model',
      unit: 'tokens/s',
      goal: 0.6,
      ours: (round) => overHttp(client, address, 'adapter', questions(`a${round}`, 1), 64),
      theirs: (round) => overHttp(client, address, 'model', questions(`b${round}`, 1), 64),
    }),
  );
}

/** A new question in a conversation of 1,000 tokens, compared with a new conversation of that length. */
function secondTurn(address: string): Promise<Figure> {
  const long = (mark: string) =>
    `${mark}. ${Array.from({ length: 190 }, (_, index) => `Item ${index} is here.`).join(' ')}`;
  return compare({
    name: 'first token: second turn vs. cold prompt (1,000 tokens)',
    unit: 's',
    goal: 0.1,
    better: 'lower',
    rounds: 3,
    async ours(round) {
      const first = [{ role: 'user', content: long(`warm ${round}`) }];
      const { texts } = await client.ask({
        url: address,
        model: 'model',
        conversations: [first],
        tokens: 16,
      });
      const next = [
        ...first,
        { role: 'assistant', content: texts[0] ?? '' },
        { role: 'user', content: 'And now?' },
      ];
      return firstToken(address, next);
    },
    theirs: (round) => firstToken(address, [{ role: 'user', content: long(`cold ${round}`) }]),
  });
}

async function firstToken(url: string, messages: { role: string; content: string }[]): Promise<number> {
  const { firstTokens } = await client.ask({ url, model: 'model', conversations: [messages], tokens: 1 });
  return firstTokens[0] ?? 0;
}

async function againstLlamaServer(address: string): Promise<void> {
  const program = await llamaServerProgram().catch((error: Error) => {
    console.log(`absent: llama-server (${error.message.split('\n')[0]})`);
    return undefined;
  });
  if (!program) return;
  const port = await freePort();
  const args = [
    '-m',
    modelPath,
    '-c',
    String(2048 * 8),
    '-np',
    '8',
    '-t',
    String(threads),
    '-tb',
    String(threads),
  ];
  const server = spawn(program, [...args, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilHealthy(url);
    for (const [streams, tokens] of loads) {
      figures.push(
        await compare({
          name: `pod vs. llama-server, ${streams} stream${streams === 1 ? '' : 's'}`,
          unit: 'tokens/s',
          goal: 0.95,
          ours: (round) => overHttp(client, address, 'model', questions(`o${round}`, streams), tokens),
          theirs: (round) => overHttp(client, url, 'model', questions(`l${round}`, streams), tokens),
        }),
      );
    }
  } finally {
    server.kill('SIGKILL');
  }
}

/**
 * The bare runtime gives a text the same vector only if it runs texts one at a time: in padded batches of a dynamically
 * quantised model the vectors depend on each other. The engine batches with a scale per row.
 */
async function vectors(): Promise<void> {
  const model = join(models, 'all-minilm-l6-v2');
  const engine = await startOnnxEmbeddings({ model, threads });
  const pod = await startPodOver(engine, 'model', podService);
  const bare = await bareEmbedder(model, threads);
  for (const { name, batches, singleGoal, batchGoal, text } of embeddingTexts) {
    const inBatches = (work: (input: string[]) => Promise<unknown>, round: number) =>
      rate(batches * 32, async () => {
        for (let batch = 0; batch < batches; batch++)
          await work(Array.from({ length: 32 }, (_, index) => text(`${round}-${batch}`, index)));
      });
    const theirs = {
      'one at a time': async (input: string[]) => {
        for (const one of input) await bare.embed([one]);
      },
      'in batches of 32': (input: string[]) => bare.embed(input),
    };
    for (const [way, embed] of Object.entries(theirs))
      figures.push(
        await compare({
          name: `HTTP against bare onnxruntime ${way}, ${name}`,
          unit: 'vectors/s',
          goal: way === 'one at a time' ? singleGoal : batchGoal,
          ours: (round) => inBatches((input) => embedOverHttp(pod.address, input), round),
          theirs: (round) => inBatches(embed, round),
        }),
      );
  }
  await pod.close();
  await engine.close();
  await bare.close();
}

async function embedOverHttp(address: string, input: string[]): Promise<void> {
  const answer = await request(`${address}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model', input, encoding_format: 'base64' }),
  });
  if (answer.statusCode !== 200) throw new Error(await answer.body.text());
  await answer.body.json();
}

function questions(mark: string, streams: number) {
  return Array.from({ length: streams }, (_, index) => [
    { role: 'user', content: `Story ${mark}-${index}: tell me about a town by the sea.` },
  ]);
}

type Conversations = ReturnType<typeof questions>;

async function overHttp(
  asker: Client,
  url: string,
  model: string,
  conversations: Conversations,
  tokens: number,
) {
  const answered = await asker.ask({ url, model, conversations, tokens });
  return answered.tokens / answered.seconds;
}

function inProcess(engine: LanguageEngine, conversations: Conversations, maxTokens: number): Promise<number> {
  return rate(conversations.length * maxTokens, async () => {
    await Promise.all(
      conversations.map(async (messages) => {
        const prompt = { kind: 'chat' as const, messages };
        const asked = { prompt, maxTokens, ignoreEos: true, sampling: { temperature: 0 } };
        for await (const _ of engine.generate(asked, new AbortController().signal));
      }),
    );
  });
}

async function rate(amount: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (amount / (performance.now() - started)) * 1000;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilHealthy(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const healthy = await request(`${url}/health`).then(
      async (answer) => {
        await answer.body.dump();
        return answer.statusCode === 200;
      },
      () => false,
    );
    if (healthy) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('llama-server did not start');
}
