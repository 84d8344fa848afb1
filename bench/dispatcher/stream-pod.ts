// A pod that streams: each answer is so many events, so many a second, each with the moment it was written.
import { createServer, type ServerResponse } from 'node:http';

const [port, events, interval] = process.argv.slice(2).map(Number) as [number, number, number];

createServer((request, response) => {
  if (request.method !== 'POST') {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"object":"list","data":[{"id":"mock","object":"model"}]}');
    return;
  }
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    // Spread over the interval, as answers that began at different times are.
    stream(response, events, performance.now() + Math.random() * interval);
  });
}).listen({ port, host: '127.0.0.1', backlog: 4096 });

/** Each event has its moment, counted from the first: intervals would drift until all streams beat together. */
function stream(response: ServerResponse, left: number, at: number): void {
  setTimeout(() => {
    if (response.destroyed) return;
    if (left === 0) return void response.end('data: [DONE]\n\n');
    response.write(
      `data: {"sent":"${process.hrtime.bigint()}","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n`,
    );
    stream(response, left - 1, at + interval);
  }, at - performance.now());
}
