// A pod that streams: each answer is so many events, so many a second, each with the moment it was written.
import { createServer } from 'node:http';

const [port = '0', events = '100', interval = '50'] = process.argv.slice(2);
const open = new Set<{ left: number; write(text: string): void; end(): void }>();

createServer((request, response) => {
  if (request.method !== 'POST') {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"object":"list","data":[{"id":"mock","object":"model"}]}');
    return;
  }
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const stream = {
      left: Number(events),
      write: (text: string) => void response.write(text),
      end: () => void response.end('data: [DONE]\n\n'),
    };
    // Spread over the interval, as answers that began at different times are.
    setTimeout(() => {
      const timer = setInterval(() => {
        if (stream.left-- <= 0 || response.destroyed) {
          clearInterval(timer);
          open.delete(stream);
          if (!response.destroyed) stream.end();
          return;
        }
        stream.write(
          `data: {"sent":"${process.hrtime.bigint()}","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n`,
        );
      }, Number(interval));
    }, Math.random() * Number(interval));
    open.add(stream);
  });
}).listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 });
