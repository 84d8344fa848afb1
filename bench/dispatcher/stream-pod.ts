// A pod that streams a given number of events at a given rate, each with the time it was written. It is as cheap as
// possible, so that thousands of streams don't saturate the pod before what is measured.
import { createServer, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

const [port, events, interval] = process.argv.slice(2).map(Number) as [number, number, number];

interface Stream {
  response: ServerResponse;
  left: number;
}

/** Streams by the millisecond of the interval at which they send, spread like answers that started at different times. */
const wheel = Array.from({ length: interval }, () => new Set<Stream>());
let spoken = Math.floor(performance.now());

createServer((request, response) => {
  if (request.method !== 'POST') {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"object":"list","data":[{"id":"mock","object":"model"}]}');
    return;
  }
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    wheel[Math.floor(Math.random() * interval)]?.add({ response, left: events });
  });
}).listen({ port, host: '127.0.0.1', backlog: 4096 });

setInterval(() => {
  for (const now = Math.floor(performance.now()); spoken < now; spoken++) {
    const due = wheel[spoken % interval] ?? new Set();
    for (const stream of due) if (!speak(stream)) due.delete(stream);
  }
}, 1);

/** Returns false after the last event. */
function speak(stream: Stream): boolean {
  const { response } = stream;
  if (response.destroyed) return false;
  if (stream.left-- === 0) {
    response.end('data: [DONE]\n\n');
    return false;
  }
  const event = `data: {"sent":"${process.hrtime.bigint()}","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n`;
  response.socket?.write(`${event.length.toString(16)}\r\n${event}\r\n`, 'latin1');
  return true;
}
