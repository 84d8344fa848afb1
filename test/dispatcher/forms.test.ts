import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request as call } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawCaller } from '../testkit/attacks/raw-caller.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { answerJson, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

describe('POST /v1/audio/transcriptions', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;

  beforeEach(async () => {
    dispatcher = await startDispatcher({
      config: { dispatcher: { form_buffer: '64KiB', policy: 'round-robin' } },
    });
    pod = await startMockPod(answerJson({ text: 'hello' }));
    await dispatcher.report({
      pod_id: 'asr-1',
      task: 'asr',
      model_name: 'org/whisper',
      served_model_name: 'whisper',
      pod_address: pod.url,
    });
  });
  afterEach(async () => {
    await dispatcher.close();
    await pod.kill().catch(() => undefined);
  });

  const url = () => `${dispatcher.url}/v1/audio/transcriptions`;
  const audio = (size: number) =>
    new Blob([Buffer.alloc(size, 'sound of \r\n--trains ')], { type: 'audio/wav' });
  const form = (fields: Record<string, string | Blob>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') data.append(name, value);
      else data.append(name, value, 'speech.wav');
    }
    return data;
  };
  const read = (index: number) => {
    const received = pod.requests[index];
    return new Response(new Uint8Array(received?.body ?? []), {
      headers: { 'content-type': received?.headers['content-type'] ?? '' },
    }).formData();
  };

  it.each([
    ['the model first', (file: Blob) => form({ model: 'whisper', language: 'en', file })],
    ['the file first', (file: Blob) => form({ file, temperature: '0', model: 'whisper' })],
  ])('passes a small and a large form on unchanged, %s', async (_title, make) => {
    for (const [index, size] of [200, 400_000].entries()) {
      const response = await fetch(url(), { method: 'POST', body: make(audio(size)) });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ text: 'hello' });
      const received = await read(index);
      expect(received.get('model')).toBe('whisper');
      const file = Buffer.from(await (received.get('file') as File).arrayBuffer());
      expect(file.equals(Buffer.from(await audio(size).arrayBuffer()))).toBe(true);
    }
    await until(
      'nothing is left on the disk',
      () => readdirSync(join(dispatcher.folder, 'uploads')).length === 0,
    );
  });

  it('asks the pod by the name it knows', async () => {
    await fetch(url(), { method: 'POST', body: form({ model: 'org/whisper', file: audio(100) }) });
    await fetch(url(), { method: 'POST', body: form({ file: audio(300_000), model: 'org/whisper' }) });
    expect((await read(0)).get('model')).toBe('whisper');
    expect((await read(1)).get('model')).toBe('whisper');
    expect(((await read(1)).get('file') as File).size).toBe(300_000);
  });

  it('begins to pass the file on before the caller has sent all of it', async () => {
    const head =
      '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
    const sending = call(url(), {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    const answered = new Promise<number | undefined>((resolve) => {
      sending.on('response', (response) => resolve(response.resume().statusCode));
    });
    sending.write(`${head}first half `);
    await until('the pod has been asked', () => pod.requests.length === 1);
    sending.end('second half\r\n--b--\r\n');
    expect(await answered).toBe(200);
    expect(pod.requests[0]?.body.toString()).toBe(`${head}first half second half\r\n--b--\r\n`);
  });

  it.each([
    [{ file: 'file' }, [['body', 'model']]],
    [{ model: 'whisper' }, [['body', 'file']]],
    [
      { other: 'x' },
      [
        ['body', 'file'],
        ['body', 'model'],
      ],
    ],
  ])('422 for a form with only %j', async (fields, locs) => {
    const parts = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === 'file' ? audio(10) : String(value)]),
    );
    const response = await fetch(url(), { method: 'POST', body: form(parts) });
    expect(response.status).toBe(422);
    const { detail } = (await response.json()) as { detail: { loc: string[]; type: string }[] };
    expect(detail.map(({ loc }) => loc)).toEqual(locs);
    expect(detail[0]?.type).toBe('missing');
  });

  it('415 for JSON, 404 for an unknown model, 422 for a form without a boundary', async () => {
    const json = await fetch(url(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"whisper"}',
    });
    expect(json.status).toBe(415);
    const unknown = await fetch(url(), { method: 'POST', body: form({ model: 'nobody', file: audio(10) }) });
    expect(unknown.status).toBe(404);
    const broken = await fetch(url(), {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data' },
      body: 'x',
    });
    expect(broken.status).toBe(422);
  });

  it.each([
    ['413, announced', 413, 'file', (size: number) => [`content-length: ${size}`]],
    ['413, in chunks', 413, 'file', () => ['transfer-encoding: chunked']],
    ['404 for an unknown model', 404, 'model', (size: number) => [`content-length: ${size}`]],
    ['415 for another type', 415, 'json', (size: number) => [`content-length: ${size}`]],
  ])('a caller that first sends everything can read the refusal: %s', async (_, status, kind, lengthOf) => {
    const limit = kind === 'file' ? '1MB' : '100MB';
    const strict = await startDispatcher({ config: { dispatcher: { form_limit: limit } } });
    const head = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nnobody\r\n';
    const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
    const start = Buffer.from(kind === 'file' ? file : head + file);
    const piece = Buffer.alloc(1_000_000, 'x');
    const end = Buffer.from('\r\n--b--\r\n');
    const parts = [start, ...Array.from({ length: 32 }, () => piece), end];
    const lengths = lengthOf(parts.reduce((sum, { length }) => sum + length, 0));
    const type = kind === 'json' ? 'application/json' : 'multipart/form-data; boundary=b';
    const caller = new RawCaller(strict.url);
    const headers = ['host: localhost', `content-type: ${type}`, ...lengths];
    caller.send(`POST /v1/audio/transcriptions HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    const chunked = lengths[0]?.startsWith('transfer') === true;
    const wire = chunked
      ? [...parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n']), '0\r\n\r\n']
      : parts;
    for (const bytes of wire) {
      const written = new Promise<void>((resolve, reject) =>
        caller.socket.write(bytes, (error) => (error ? reject(error) : resolve())),
      );
      await written;
    }
    expect((await caller.answer())?.status).toBe(status);
    // The connection can be used again.
    caller.send('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect((await caller.answer())?.status).toBe(200);
    caller.destroy();
    await strict.close();
  });

  it('goes to another pod while nothing of it is lost', async () => {
    const other = await startMockPod(answerJson({ text: 'other' }));
    await dispatcher.report({
      pod_id: 'asr-2',
      task: 'asr',
      served_model_name: 'whisper',
      pod_address: other.url,
    });
    await pod.kill();
    for (let n = 0; n < 2; n++) {
      const response = await fetch(url(), {
        method: 'POST',
        body: form({ file: audio(200_000), model: 'whisper' }),
      });
      expect(await response.json()).toEqual({ text: 'other' });
    }
    await other.kill();
  });

  it('a caller that leaves in the middle of its form leaves nothing behind', async () => {
    const sending = call(url(), {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    sending.on('error', () => undefined);
    sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n');
    sending.write(Buffer.alloc(500_000, 'x'));
    const uploads = () => readdirSync(join(dispatcher.folder, 'uploads')).length;
    await until('it is being held', () => uploads() === 1);
    sending.destroy();
    await until('it is gone', () => uploads() === 0);
  });
});

it('a start removes the uploads of processes that have ended, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-uploads-'));
  const uploads = join(folder, 'uploads');
  mkdirSync(uploads);
  const host = hostname().replaceAll(/[^a-zA-Z0-9]/g, '_');
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const gone = [
    `form-${host}-${ended}-1`,
    `form-${host}-${process.pid}-1`,
    'form-elsewhere-1-old',
    'form-old',
  ];
  const kept = [`form-${host}-${process.ppid}-1`, 'form-elsewhere-1-new', 'notes.txt'];
  for (const name of [...gone, ...kept]) writeFileSync(join(uploads, name), 'sound');
  const before = new Date(Date.now() - 2 * 86_400_000);
  for (const name of ['form-elsewhere-1-old', 'form-old', 'notes.txt']) {
    utimesSync(join(uploads, name), before, before);
  }
  const dispatcher = await startDispatcher({ folder });
  expect(readdirSync(uploads).sort()).toEqual(kept.sort());
  await dispatcher.close();
  rmSync(folder, { recursive: true });
});
