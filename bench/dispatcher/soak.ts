import { load } from './load.ts';
import { startMockPod } from './nginx.ts';
import { memory, sleep } from './processes.ts';
import { startRoundhouse } from './roundhouse.ts';
import { atMost, median, type Verdict } from './verdicts.ts';

/** Runs mixed load for a while: valid requests, invalid ones, and callers that disconnect. Memory must not grow. */
export async function soak(minutes: number): Promise<Verdict[]> {
  const pod = await startMockPod(28_300);
  const dispatcher = await startRoundhouse(28_310, [pod.url], { log: '/dev/null' });
  const samples: number[] = [];
  let stopped = false;
  try {
    const sampling = (async () => {
      while (!stopped) {
        samples.push(memory(dispatcher.pids));
        await sleep(1000);
      }
    })();
    const troubles = (async () => {
      while (!stopped) {
        await trouble(dispatcher.url, dispatcher.headers ?? {});
        await sleep(20);
      }
    })();
    await load(dispatcher, 10, minutes * 60);
    stopped = true;
    await Promise.all([sampling, troubles]);
  } finally {
    await Promise.all([dispatcher.stop(), pod.stop()]);
  }
  const perMinute = samples.length / minutes;
  const minute = (index: number) =>
    median(samples.slice(Math.floor(index * perMinute), Math.floor((index + 1) * perMinute)));
  // A run of one or two minutes is split into parts for the comparison.
  const [early, late] =
    minutes >= 3
      ? [minute(1), minute(minutes - 1)]
      : [
          median(samples.slice(samples.length / 4, samples.length / 2)),
          median(samples.slice(-samples.length / 4)),
        ];
  console.log(`\nsoak, ${minutes} min: memory ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late`);
  return [atMost('memory in the last minute, as a share of the second minute', late / early, 1.1)];
}

/** Common failures: an unknown model, a malformed body, a caller that disconnects. */
async function trouble(url: string, headers: Record<string, string>): Promise<void> {
  const post = (body: string, signal?: AbortSignal) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      ...(signal ? { signal } : {}),
    })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
  await Promise.all([
    post('{"model":"nobody","messages":[]}'),
    post('{"model":'),
    post(JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'x'.repeat(50_000) }] })),
    post(JSON.stringify({ model: 'mock', messages: [] }), AbortSignal.timeout(1)),
  ]);
}
