import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { RawCaller, rawPost } from '../testkit/attacks/raw-caller.ts';
import { startDispatcher } from '../testkit/dispatcher.ts';
import { type RawPod, startRawPod } from '../testkit/pods/raw-pod.ts';
import { until } from '../testkit/until.ts';

const path = '/v1/chat/completions';
const filler = 'x'.repeat(30_000);

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Answers with what it was asked, each time in another way, and now and then not at all. */
function moody(random: (below: number) => number): RawPod['answer'] {
  return (socket: Socket, { body }) => {
    const { content } = JSON.parse(body.toString()).messages[0] as { content: string };
    const text = random(4) === 0 ? `${content} ${filler}` : content;
    const half = random(text.length);
    const chunk = (part: string) => (part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`);
    const ways = [
      () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
      () =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`),
      () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
      () => socket.end(`HTTP/1.1 200 OK\r\n\r\n${text}`),
      () =>
        socket.write(
          `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk(text.slice(0, half))}${chunk(text.slice(half))}0\r\n\r\n`,
        ),
      () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, half)}`);
        setImmediate(() => socket.write(text.slice(half)));
      },
      () =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}HTTP/1.1 200 OK\r\n`),
      () => socket.resetAndDestroy(),
      () => socket.end(),
    ];
    ways[random(ways.length)]?.();
  };
}

it('gives every caller its own answer, whatever callers and pods do to their connections', async () => {
  const random = numbers(7);
  const dispatcher = await startDispatcher({
    config: { dispatcher: { policy: 'round-robin', breaker: { failures: 1000 } }, queue: { timeout: '60s' } },
  });
  const pods = [await startRawPod(moody(random)), await startRawPod(moody(random))];
  for (const [n, pod] of pods.entries()) {
    const pod_address = `http://127.0.0.1:${pod.port}`;
    await dispatcher.report({ pod_id: `p${n}`, model_name: 'mock', pod_address, max_connections: 3 });
  }
  let whole = 0;
  const call = async (name: string) => {
    let caller = new RawCaller(dispatcher.url);
    for (let turn = 0; turn < 25; turn++) {
      const contents = Array.from({ length: 1 + random(3) }, (_, n) => `${name}.${turn}.${n}.`);
      for (const content of contents) {
        caller.send(rawPost(path, JSON.stringify({ model: 'mock', messages: [{ content }] })));
      }
      const leaves = random(6) === 0;
      for (const content of leaves ? contents.slice(1) : contents) {
        const answer = await caller.answer();
        if (!answer) break;
        if (answer.status === 200) {
          expect(answer.body.toString().replace(` ${filler}`, '')).toBe(leaves ? contents[0] : content);
          whole++;
        } else expect(answer.status).toBe(503);
        if (leaves) break;
      }
      if (leaves || caller.isClosed) {
        caller.destroy();
        caller = new RawCaller(dispatcher.url);
      }
    }
    caller.destroy();
  };
  await Promise.all(Array.from({ length: 10 }, (_, n) => call(`caller ${n}`)));
  expect(whole).toBeGreaterThan(100);
  await until('the pods are free', async () =>
    (await dispatcher.pods()).every(({ in_flight }) => in_flight === 0),
  );
  await dispatcher.close();
  await Promise.all(pods.map((pod) => pod.close()));
});
