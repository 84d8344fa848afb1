import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawCaller, rawPost } from '../testkit/attacks/raw-caller.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { selfSigned } from '../testkit/machine/certificate.ts';
import { type RawPod, startRawPod } from '../testkit/pods/raw-pod.ts';
import { requirement } from '../testkit/requirement.ts';
import { until } from '../testkit/until.ts';

const path = '/v1/chat/completions';
const ask = (content: string) => JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }] });
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const plain =
  (body: string | Buffer, headers = '') =>
  (socket: Socket) => {
    const bytes = Buffer.from(body);
    socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  };

const ipv6 = await requirement('ipv6', async () => {
  const pod = await startRawPod(() => undefined, { host: '::1' });
  await pod.close();
});

describe('the connections to pods', () => {
  let dispatcher: RunningDispatcher;
  const opened: RawPod[] = [];

  beforeEach(async () => {
    dispatcher = await startDispatcher({ config: { dispatcher: { first_byte_timeout: '20s' } } });
  });
  afterEach(async () => {
    await dispatcher.close();
    await Promise.all(opened.splice(0).map((pod) => pod.close()));
  });

  const podOf = async (
    answer: RawPod['answer'],
    options: Parameters<typeof startRawPod>[1] & { address?: (port: number) => string; task?: string } = {},
  ) => {
    const pod = await startRawPod(answer, options);
    opened.push(pod);
    const pod_address = options.address?.(pod.port) ?? `http://127.0.0.1:${pod.port}`;
    await dispatcher.report({ pod_id: 'p', model_name: 'mock', task: options.task ?? 'llm', pod_address });
    return pod;
  };
  const chat = async (content = 'Hi') => {
    const response = await dispatcher.chat({ messages: [{ role: 'user', content }] });
    return { status: response.status, text: await response.text() };
  };

  it('are used again, and as many are made as requests run at once', async () => {
    const waiting: Socket[] = [];
    const pod = await podOf((socket) => waiting.push(socket));
    for (const round of ['a', 'b', 'c']) {
      const answers = Promise.all([chat(), chat()]);
      await until('both have come', () => waiting.length === 2);
      for (const socket of waiting.splice(0)) plain(round)(socket);
      expect((await answers).map(({ text }) => text)).toEqual([round, round]);
    }
    expect(pod.connections).toBe(2);
  });

  it.each([
    ['says that it closes it', 'connection: close\r\n', 2],
    ['says that it keeps it for a second', 'keep-alive: timeout=1\r\n', 2],
    ['says that it keeps it for longer', 'keep-alive: timeout=60\r\n', 1],
    ['says nothing', '', 1],
  ])('one that the pod %s', async (_title, headers, connections) => {
    const pod = await podOf(plain('ok', headers));
    expect(await chat()).toEqual({ status: 200, text: 'ok' });
    expect(await chat()).toEqual({ status: 200, text: 'ok' });
    expect(pod.connections).toBe(connections);
  });

  it('one that the pod closes without a word', async () => {
    await podOf((socket) => {
      plain('ok')(socket);
      socket.end();
    });
    for (let n = 0; n < 20; n++) expect(await chat()).toEqual({ status: 200, text: 'ok' });
  });

  it('are not used again where more came than was asked for', async () => {
    const pod = await podOf((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad',
      );
    });
    expect(await chat()).toEqual({ status: 200, text: '' });
    pod.answer = plain('good');
    expect(await chat()).toEqual({ status: 200, text: 'good' });
    expect(pod.connections).toBe(2);
  });

  it('are not used again where more came, and later than the answer', async () => {
    const sockets: Socket[] = [];
    const pod = await podOf(plain('good'), { onConnection: (socket) => sockets.push(socket) });
    expect(await chat()).toEqual({ status: 200, text: 'good' });
    sockets[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad');
    await until('it is closed', () => sockets[0]?.closed);
    expect(await chat()).toEqual({ status: 200, text: 'good' });
    expect(pod.connections).toBe(2);
  });

  it('are not used again while the pod still owes the reading of a request', async () => {
    const pod = await podOf(plain('good'), {
      onConnection: (socket) => {
        if (pod.connections > 1) return;
        socket.pause();
        socket.write('HTTP/1.1 413 Content Too Large\r\ncontent-length: 5\r\n\r\nlarge');
      },
    });
    expect(await chat('x'.repeat(30_000_000))).toEqual({ status: 413, text: 'large' });
    expect(await chat()).toEqual({ status: 200, text: 'good' });
    expect(pod.connections).toBe(2);
  });

  it('one answered, the next in line goes out on it at once', async () => {
    const pod = await startRawPod((socket, { body }) =>
      plain(JSON.parse(body.toString()).messages[0].content)(socket),
    );
    opened.push(pod);
    const pod_address = `http://127.0.0.1:${pod.port}`;
    await dispatcher.report({ pod_id: 'p', model_name: 'mock', pod_address, max_connections: 1 });
    const contents = Array.from({ length: 50 }, (_, n) => `number ${n}`);
    const answers = await Promise.all(contents.map((content) => chat(content)));
    expect(answers.map(({ text }) => text)).toEqual(contents);
    expect(pod.connections).toBe(1);
  });

  const goTo = async (host: string, address: (port: number) => string, said: string) => {
    const pod = await podOf(plain('ok'), { host, address });
    expect(await chat()).toEqual({ status: 200, text: 'ok' });
    expect(pod.requests[0]?.head).toContain(said);
  };

  it.skipIf(!ipv6.available)('go to an address of IPv6', () =>
    goTo('::1', (port) => `http://[::1]:${port}`, 'host: [::1]:'),
  );

  it('go to an address with a name', () =>
    goTo('localhost', (port) => `http://localhost:${port}`, 'host: localhost:'));

  it('go to an address with a path', () =>
    goTo(
      '127.0.0.1',
      (port) => `http://127.0.0.1:${port}/some/where/`,
      'POST /some/where/v1/chat/completions HTTP/1.1',
    ));

  it('are secure where the address says so, and only to a pod that proves who it is', async () => {
    const trusted = getCACertificates('default');
    const [tls, foreign] = [selfSigned(), selfSigned()];
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on('warning', onWarning);
    setDefaultCACertificates([...trusted, tls.cert]);
    try {
      const body = randomBytes(3_000_000);
      const options = { tls, address: (port: number) => `https://127.0.0.1:${port}` };
      const pod = await podOf(plain(body), options);
      for (let n = 0; n < 3; n++) {
        const response = await dispatcher.chat();
        expect(hash(await response.bytes())).toBe(hash(body));
      }
      expect(pod.connections).toBe(1);
      await podOf(plain('ok'), { ...options, address: (port) => `https://localhost:${port}` });
      expect(await chat()).toEqual({ status: 200, text: 'ok' });
      await podOf(plain('never'), { ...options, tls: foreign });
      expect((await chat()).status).toBe(503);
    } finally {
      setDefaultCACertificates(trusted);
      process.off('warning', onWarning);
    }
    expect(warnings).toEqual([]);
  });

  it('pass on answers of every length, byte by byte the same', async () => {
    const pod = await podOf(plain(''), { task: 'tts' });
    // Around the sizes at which bytes are copied as text, read at once, and written at once.
    for (const size of [1, 8191, 8192, 8193, 16_384, 65_535, 65_536, 65_537, 1_000_000]) {
      const body = randomBytes(size);
      pod.answer = plain(body, 'content-type: audio/wav\r\n');
      const response = await fetch(`${dispatcher.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mock', input: 'Hi' }),
      });
      expect(response.headers.get('content-length')).toBe(String(size));
      expect(response.headers.get('content-type')).toBe('audio/wav');
      expect(hash(await response.bytes())).toBe(hash(body));
    }
  });

  it('wait for a caller that takes its time to send', async () => {
    const impatient = await startDispatcher({ config: { dispatcher: { first_byte_timeout: '800ms' } } });
    const pod = await startRawPod(plain('heard'));
    opened.push(pod);
    const pod_address = `http://127.0.0.1:${pod.port}`;
    await impatient.report({ pod_id: 'p', model_name: 'mock', task: 'asr', pod_address });
    const form = [
      '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock\r\n',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nfirst half, ',
      'second half\r\n--b--\r\n',
    ];
    const type = 'content-type: multipart/form-data; boundary=b';
    const head = `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: localhost\r\n${type}\r\n`;
    const caller = new RawCaller(impatient.url);
    caller.send(
      `${head}content-length: ${form.join('').length}\r\n\r\n`,
      form[0] as string,
      form[1] as string,
    );
    await until('the pod is asked', () => pod.connections === 1);
    // Twice as long as the pod may take for its answer.
    await new Promise((resolve) => setTimeout(resolve, 1800));
    caller.send(form[2] as string);
    const answer = await caller.answer();
    expect([answer?.status, answer?.body.toString()]).toEqual([200, 'heard']);
    expect(pod.requests[0]?.body.toString()).toBe(form.join(''));
    caller.destroy();
    await impatient.close();
  });

  it('pass on an answer that ends with its connection, in chunks', async () => {
    const body = randomBytes(200_000);
    await podOf((socket) => {
      socket.write('HTTP/1.0 200 OK\r\ncontent-type: application/octet-stream\r\n\r\n');
      socket.end(body);
    });
    const caller = new RawCaller(dispatcher.url).send(rawPost(path, ask('Hi')), rawPost(path, ask('Hi')));
    for (let n = 0; n < 2; n++) {
      const answer = await caller.answer();
      expect(answer?.headers.get('transfer-encoding')).toBe('chunked');
      expect(hash(answer?.body ?? Buffer.alloc(0))).toBe(hash(body));
    }
    caller.destroy();
  });

  it('pass on an answer that comes in chunks, whatever their sizes', async () => {
    const chunks = [1, 7, 8192, 8193, 70_000, 1, 300_000].map((size) => randomBytes(size));
    await podOf((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      for (const chunk of chunks)
        socket.write(
          Buffer.concat([Buffer.from(`${chunk.length.toString(16)};x=y\r\n`), chunk, Buffer.from('\r\n')]),
        );
      socket.write('0\r\nx-sum: 1\r\n\r\n');
    });
    const caller = new RawCaller(dispatcher.url);
    for (let n = 0; n < 2; n++) {
      const answer = await caller.send(rawPost(path, ask('Hi'))).answer();
      expect(hash(answer?.body ?? Buffer.alloc(0))).toBe(hash(Buffer.concat(chunks)));
    }
    caller.destroy();
  });

  it.each([
    ['an empty answer', 'HTTP/1.1 204 No Content\r\nx-own: 1\r\n\r\n', 204, ''],
    [
      'interim answers',
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      200,
      'ok',
    ],
    ['a status of its own', 'HTTP/1.1 299 Own\r\ncontent-length: 2\r\n\r\nok', 299, 'ok'],
  ])('pass on %s', async (_title, bytes, status, text) => {
    await podOf((socket) => void socket.write(bytes));
    const caller = new RawCaller(dispatcher.url);
    for (let n = 0; n < 2; n++) {
      const answer = await caller.send(rawPost(path, ask('Hi'))).answer();
      expect([answer?.status, answer?.body.toString()]).toEqual([status, text]);
    }
    caller.destroy();
  });

  it('pass on an answer that comes byte by byte', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\n\r\n';
    const pod = await podOf(async (socket) => {
      for (const byte of answer) {
        await new Promise((resolve) => socket.write(byte, resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(await chat()).toEqual({ status: 200, text: 'hello' });
    expect(await chat()).toEqual({ status: 200, text: 'hello' });
    expect(pod.connections).toBe(1);
  });

  it('that break off within an answer are told from those that end it', async () => {
    const cut = [
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
    ];
    for (const bytes of cut) {
      await podOf((socket) => void socket.end(bytes));
      const response = await dispatcher.chat();
      await expect(response.text()).rejects.toThrow();
    }
  });
});
