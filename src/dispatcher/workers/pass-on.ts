import {
  Agent,
  request as call,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';

/** Hands requests over to the main thread as they are, and brings its answers back. */
export function passOn(socketPath: string): RequestListener {
  const agent = new Agent({ keepAlive: true });
  return (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, rawHeaders } = request;
    const hasBody = 'content-length' in request.headers || 'transfer-encoding' in request.headers;
    // Without a length Node would announce a body of chunks, even where there is none.
    const headers = hasBody ? rawHeaders : [...rawHeaders, 'content-length', '0'];
    const inner = call({ socketPath, agent, method, path, headers, setHost: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    inner.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'application/json' }).end(unavailable);
    });
    response.on('close', () => inner.destroy());
    if (hasBody) request.pipe(inner);
    else inner.end();
  };
}

const unavailable = JSON.stringify({
  error: {
    message: 'the server is not ready',
    type: 'server_error',
    param: null,
    code: 'service_unavailable',
  },
});
