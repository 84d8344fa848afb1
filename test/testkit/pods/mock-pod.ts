import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the caller disconnected before the answer was complete. */
  aborted: boolean;
  answered: boolean;
}

type Answer = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

export interface MockPod {
  url: string;
  port: number;
  requests: ReceivedRequest[];
  /** Sets how it answers from now on. */
  answer: Answer;
  /** Closes all connections, as a killed process would, and stops listening. */
  kill(): Promise<void>;
  /** Listens again on the same port. */
  revive(): Promise<void>;
}

export const chatAnswer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'mock',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
};

/** An HTTP pod with configurable answers; a chat model by default. */
export async function startMockPod(answer: Answer = answerChat): Promise<MockPod> {
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const received: ReceivedRequest = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.alloc(0),
      aborted: false,
      answered: false,
    };
    pod.requests.push(received);
    response.on('close', () => {
      received.answered = response.writableFinished;
      received.aborted = !response.writableFinished;
    });
    received.body = await readAll(request);
    await pod.answer(received, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const pod: MockPod = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: [],
    answer,
    async kill() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    revive: () => listen(port),
  };
  return pod;
}

export function answerJson(value: unknown, status = 200): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
}

/** Answers chat requests as OpenAI's clients expect, streamed if requested. */
export async function answerChat(request: ReceivedRequest, response: ServerResponse) {
  if (request.path === '/v1/models') return answerJson({ object: 'list', data: [] })(request, response);
  const { stream, stream_options } = JSON.parse(request.body.toString());
  if (!stream) return answerJson(chatAnswer)(request, response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const word of ['Hel', 'lo', '.']) response.write(chatEvent(word));
  if (stream_options?.include_usage) {
    response.write(`data: ${JSON.stringify({ ...chunkOf(''), choices: [], usage: chatAnswer.usage })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

/** Streams these pieces as the answer to a chat request. */
export function answerStream(pieces: string[], ending: 'stop' | 'length' = 'stop'): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(chatEvent(piece));
    response.end(`data: ${JSON.stringify(chunkOf('', ending))}\n\ndata: [DONE]\n\n`);
  };
}

export function chatEvent(content: string): string {
  return `data: ${JSON.stringify(chunkOf(content))}\n\n`;
}

function chunkOf(content: string, finish_reason: string | null = null) {
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason }];
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'mock', choices };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The caller disconnected in the middle of its request.
  }
  return Buffer.concat(chunks);
}
