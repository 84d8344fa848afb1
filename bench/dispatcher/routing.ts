import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startRoundhouse } from './roundhouse.ts';
import { atLeast, atMost, type Verdict } from './verdicts.ts';

const podCount = 4;
const conversations = 200;
const turns = 8;
const concurrency = 32;
/** Prompt characters per pod cache: all conversations fit into the four caches together, but not into one. */
const cacheSize = 400_000;
const systemPrompt = 'You are a helpful assistant of a railway company. '.repeat(6);

interface Outcome {
  hitRate: number;
  best: number;
  busiest: number;
  failed: number;
}

/** Routing to pods with simulated prefix caches: measures the cache hit ratio and the balance of the load. */
export async function routing(): Promise<Verdict[]> {
  const aware = await converse('cache-aware', false);
  const turn = await converse('round-robin', false);
  const killed = await converse('cache-aware', true);
  console.log(
    '\nrouting, 4 pods, 200 conversations of 8 turns   hit rate   best possible   busiest / mean   failed',
  );
  for (const [name, outcome] of Object.entries({
    'cache-aware': aware,
    'round-robin': turn,
    'cache-aware, a pod killed': killed,
  })) {
    const { hitRate, best, busiest, failed } = outcome;
    console.log(
      `${name.padEnd(46)} ${hitRate.toFixed(3).padStart(9)} ${best.toFixed(3).padStart(15)} ${busiest.toFixed(2).padStart(16)} ${String(failed).padStart(8)}`,
    );
  }
  return [
    atLeast('cache hits, as a share of the best possible', aware.hitRate / aware.best, 0.9),
    atLeast('cache hits, as a multiple of round-robin', aware.hitRate / turn.hitRate, 2.5),
    atMost('load of the busiest pod, as a multiple of the mean', aware.busiest, 1.3),
    atMost('failed requests with a pod killed halfway', killed.failed, 0),
    atLeast(
      'cache hits with a pod killed, as a share of the best possible',
      killed.hitRate / killed.best,
      0.8,
    ),
  ];
}

async function converse(policy: string, killOne: boolean): Promise<Outcome> {
  const pods = await Promise.all(Array.from({ length: podCount }, startCachingPod));
  const dispatcher = await startRoundhouse(
    28_200,
    pods.map((pod) => pod.url),
    { policy, maxConnections: 16 },
  );
  const random = generator(7);
  const texts = Array.from({ length: conversations }, (_, index) => openingOf(index, random));
  let [best, total, failed, done] = [0, 0, 0, 0];
  const all = conversations * turns;

  async function say(index: number): Promise<void> {
    const messages = texts[index] as Message[];
    const prompt = JSON.stringify(messages);
    total += prompt.length;
    // Everything sent earlier could have been cached; in a first turn, that is the system prompt.
    best += messages.length > 2 ? JSON.stringify(messages.slice(0, -2)).length : systemPrompt.length;
    const response = await fetch(`${dispatcher.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...dispatcher.headers },
      body: JSON.stringify({ model: 'mock', messages }),
    });
    await response.arrayBuffer();
    if (response.status !== 200) failed++;
    messages.push(
      { role: 'assistant', content: words(60, random) },
      { role: 'user', content: words(30, random) },
    );
    done++;
    if (killOne && done === Math.floor(all / 2)) pods[0]?.kill();
  }

  const waiting = Array.from({ length: conversations }, (_, index) => index);
  const left = new Array<number>(conversations).fill(turns);
  async function talk(): Promise<void> {
    while (waiting.length > 0) {
      const [index = 0] = waiting.splice(Math.floor(random() * Math.min(waiting.length, 64)), 1);
      await say(index);
      left[index] = (left[index] ?? 1) - 1;
      if ((left[index] ?? 0) > 0) waiting.push(index);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, talk));
  await dispatcher.stop();
  for (const pod of pods) pod.kill();
  const loads = pods.map((pod) => pod.requests);
  const hits = pods.reduce((sum, pod) => sum + pod.hits, 0);
  const mean = loads.reduce((sum, load) => sum + load, 0) / podCount;
  return { hitRate: hits / total, best: best / total, busiest: Math.max(...loads) / mean, failed };
}

interface Message {
  role: string;
  content: string;
}

interface CachingPod {
  url: string;
  requests: number;
  /** Prompt characters found in its cache. */
  hits: number;
  kill(): void;
}

/** Caches prompts per message with LRU eviction, and takes time for what is not cached. */
async function startCachingPod(): Promise<CachingPod> {
  const cache = new Map<string, number>();
  let size = 0;
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== 'POST') return void response.end('{}');
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[] };
    pod.requests++;
    let [prefix, hit, missing, unbroken] = ['', 0, 0, true];
    for (const message of messages) {
      const text = JSON.stringify(message);
      prefix = digest(prefix + text);
      unbroken &&= cache.has(prefix);
      if (unbroken) hit += text.length;
      else missing += text.length;
      if (cache.has(prefix)) size -= cache.get(prefix) ?? 0;
      cache.delete(prefix);
      cache.set(prefix, text.length);
      size += text.length;
    }
    for (const [oldest, length] of cache) {
      if (size <= cacheSize) break;
      cache.delete(oldest);
      size -= length;
    }
    pod.hits += hit;
    setTimeout(
      () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}');
      },
      2 + missing / 500,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pod: CachingPod = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    hits: 0,
    kill() {
      server.close();
      server.closeAllConnections();
    },
  };
  return pod;
}

function openingOf(index: number, random: () => number): Message[] {
  return [
    { role: 'system', content: systemPrompt },
    { role: 'user', content: `Question ${index}: ${words(600, random)}` },
  ];
}

function words(count: number, random: () => number): string {
  return Array.from({ length: count }, () => Math.floor(random() * 1e6).toString(36)).join(' ');
}

function digest(text: string): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high + text.charCodeAt(at), 0x85ebca6b) ^ (high >>> 13);
  }
  return `${low >>> 0}.${high >>> 0}.${text.length}`;
}

/** A random number generator with the same sequence in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
