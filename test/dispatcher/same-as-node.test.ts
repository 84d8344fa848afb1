import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawCaller, rawPost } from '../testkit/attacks/raw-caller.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';

const path = '/v1/chat/completions';
const ask = (content: string) => JSON.stringify({ model: 'mock', messages: [{ content }] });
const contentOf = (body: Buffer) => JSON.parse(body.toString()).messages[0].content as string;
const body = ask('first');
const size = body.length;
const hidden = rawPost(path, ask('hidden'));
const chunked = `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const withHidden = Buffer.concat([Buffer.from(body), hidden]);

type Shape = [title: string, lines: string[], body?: string | Buffer, line?: string];

/** Requests that could be read in two ways, or that somebody might read in another way than Node does. */
const shapes: Shape[] = [
  ['nothing special', [`content-length: ${size}`]],
  ['a length with zeros before it', [`content-length: 000${size}`]],
  ['a length with blanks around it', [`content-length: \t ${size} `]],
  ['a length and a tab', [`content-length: ${size}\t`]],
  ['two lengths', [`content-length: ${size}`, `content-length: ${withHidden.length}`], withHidden],
  ['two lengths, the other way round', ['content-length: 0', `content-length: ${size}`]],
  ['the same length twice', [`content-length: ${size}`, `content-length: ${size}`]],
  ['two lengths in a line', [`content-length: ${size}, ${size}`]],
  ['a signed length', [`content-length: +${size}`]],
  ['a negative length', [`content-length: -${size}`]],
  ['a length in hexadecimal', [`content-length: 0x${size.toString(16)}`]],
  ['a length with an exponent', [`content-length: ${size}e0`]],
  ['a length with a blank in it', ['content-length: 1 0']],
  ['an empty length', ['content-length:']],
  ['a length with a vertical tab', [`content-length: \x0b${size}`]],
  ['a length with a hard blank', [`content-length: ${size}\xa0 `]],
  ['a length beyond all numbers', ['content-length: 18446744073709551617']],
  ['a length with an underscore in its name', [`content_length: ${size}`, 'content-length: 0'], ''],
  ['a length and a coding', [`content-length: ${chunked.length}`, 'transfer-encoding: chunked'], chunked],
  ['a coding and a length', ['transfer-encoding: chunked', `content-length: ${size}`], chunked],
  ['a coding alone', ['transfer-encoding: chunked'], chunked],
  ['a coding in capitals', [`content-length: ${size}`, 'TRANSFER-ENCODING: CHUNKED']],
  ['a coding after a blank', [`content-length: ${size}`, 'transfer-encoding : chunked'], chunked],
  ['a coding after a tab', [`content-length: ${size}`, 'transfer-encoding\t: chunked']],
  ['a coding before which is a blank', [`content-length: ${size}`, ' transfer-encoding: chunked']],
  ['a coding in a folded line', [`content-length: ${size}`, 'transfer-encoding:', ' chunked']],
  ['a coding after a folded line', [`content-length: ${size}`, 'x: y', '\ttransfer-encoding: chunked']],
  ['a coding after a line feed', [`content-length: ${size}`, 'x: y\ntransfer-encoding: chunked']],
  ['a coding after a carriage return', [`content-length: ${size}`, 'x: y\rtransfer-encoding: chunked']],
  ['a coding after a null', [`content-length: ${size}`, 'x: y\0transfer-encoding: chunked']],
  ['a coding that is none', [`content-length: ${size}`, 'transfer-encoding: identity']],
  ['a coding that nobody knows', [`content-length: ${size}`, 'transfer-encoding: xchunked']],
  ['a coding in quotes', [`content-length: ${size}`, 'transfer-encoding: "chunked"']],
  ['an empty coding', [`content-length: ${size}`, 'transfer-encoding:']],
  ['a length in a line with a line feed', [`x: y\ncontent-length: ${size}`, 'content-length: 0'], ''],
  ['a length after a line with no colon', ['nothing', `content-length: ${size}`]],
  ['a length after a line with no name', [': nothing', `content-length: ${size}`]],
  ['a name in quotes', ['"x": y', `content-length: ${size}`]],
  ['a name above ASCII', ['x\xe9: y', `content-length: ${size}`]],
  ['a value above ASCII', ['x: \xe9\xff', `content-length: ${size}`]],
  ['a delete in a value', ['x: \x7f', `content-length: ${size}`]],
  ['two hosts', ['host: y', `content-length: ${size}`]],
  ['a wish to close', ['connection: close', `content-length: ${size}`]],
  ['a wish to close among others', ['connection: keep-alive, close', `content-length: ${size}`]],
  ['a wish of a proxy', ['proxy-connection: close', `content-length: ${size}`]],
  ['a name of another protocol', ['upgrade: h2c', `content-length: ${size}`]],
  ['HTTP/1.0', [`content-length: ${size}`], body, `POST ${path} HTTP/1.0`],
  [
    'HTTP/1.0 that stays',
    ['connection: keep-alive', `content-length: ${size}`],
    body,
    `POST ${path} HTTP/1.0`,
  ],
  ['HTTP/1.2', [`content-length: ${size}`], body, `POST ${path} HTTP/1.2`],
  ['HTTP/2', [`content-length: ${size}`], body, `POST ${path} HTTP/2.0`],
  ['a method in small letters', [`content-length: ${size}`], body, `post ${path} HTTP/1.1`],
  ['two blanks in the first line', [`content-length: ${size}`], body, `POST  ${path} HTTP/1.1`],
  ['a tab in the first line', [`content-length: ${size}`], body, `POST\t${path} HTTP/1.1`],
  ['a blank after the first line', [`content-length: ${size}`], body, `POST ${path} HTTP/1.1 `],
  ['a line feed in the first line', [`content-length: ${size}`], body, `POST ${path}\n HTTP/1.1`],
  ['a first line that ends in a line feed', [`content-length: ${size}`], body, `POST ${path} HTTP/1.1\nx: y`],
  ['a null in the target', [`content-length: ${size}`], body, `POST ${path}?\0 HTTP/1.1`],
  ['an empty line before the first', [`content-length: ${size}`], body, `\r\nPOST ${path} HTTP/1.1`],
  ['no version', [`content-length: ${size}`], body, `POST ${path}`],
  [
    'a body that is shorter than it says',
    [`content-length: ${withHidden.length - hidden.length}`],
    withHidden,
  ],
];

describe('requests that could be read in two ways', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;
  let node: Server;
  let nodeUrl: string;
  const readByNode: string[] = [];

  beforeAll(async () => {
    [dispatcher, pod] = await Promise.all([startDispatcher(), startMockPod()]);
    await dispatcher.report({ pod_id: 'p', model_name: 'mock', pod_address: pod.url });
    pod.answer = (_request, response) => void response.end('ok');
    node = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const whole = Buffer.concat(chunks);
        if (whole.length === 0) return response.writeHead(422).end();
        readByNode.push(contentOf(whole));
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    node?.close();
    node?.closeAllConnections();
    await dispatcher?.close();
    await pod?.kill();
  });

  /** The status of the last answer: those before it are lost at Node's where a broken request follows at once. */
  const lastStatus = async (url: string, pieces: Iterable<Buffer>) => {
    const caller = new RawCaller(url);
    void caller.sendSlowly(pieces).catch(() => undefined);
    const answers = await caller.answers();
    caller.destroy();
    return answers.at(-1)?.status;
  };

  it.each(shapes)(
    '%s: as Node reads it',
    async (_title, lines, content = body, line = `POST ${path} HTTP/1.1`) => {
      const head = `${[line, 'host: localhost', 'content-type: application/json', ...lines].join('\r\n')}\r\n\r\n`;
      // After which both servers close the connection, whatever became of the first.
      const last = rawPost(path, ask('last'), ['connection: close']);
      const whole = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(content), last]);
      const halves = [whole.subarray(0, head.length / 2), whole.subarray(head.length / 2)];
      for (const pieces of [[whole], halves]) {
        readByNode.length = pod.requests.length = 0;
        const byNode = await lastStatus(nodeUrl, pieces);
        const byUs = await lastStatus(dispatcher.url, pieces);
        expect(byUs).toBe(byNode);
        expect(pod.requests.map((request) => contentOf(request.body))).toEqual(readByNode);
      }
    },
  );
});
