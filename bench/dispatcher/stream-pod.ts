// A pod that streams: each answer is so many events, so many a second, each with the moment it was written. It costs
// as little as can be: thousands of streams must not wear out the pod before what is measured.
import { createServer, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

const [port, events, interval] = process.argv.slice(2).map(Number) as [number, number, number];

interface Stream {
  response: ServerResponse;
  left: number;
}

/** Streams by the millisecond of the interval at which they speak: spread, as answers that began at different times are. */
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

/** False where there is nothing more to say. */
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
