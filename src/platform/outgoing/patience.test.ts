import { afterEach, describe, expect, it } from 'vitest';
import { outgoingTests } from '../../../test/testkit/outgoing.ts';
import { until } from '../../../test/testkit/until.ts';
import { readBytes } from './answers/read-answer.ts';
import { createOutgoing } from './create-outgoing.ts';

const { closers, open, serve, close } = outgoingTests();
afterEach(close);

describe('answers', () => {
  it('are asked for again where that may help, as long as the server asks to wait a bearable time', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    let count = 0;
    const site = await serve((request, response) => {
      count++;
      if (request.url === '/busy' && count < 3)
        response.writeHead(429, { 'retry-after': '7' }).end('inner detail');
      else if (request.url === '/later') response.writeHead(503, { 'retry-after': '3600' }).end();
      else if (request.url === '/down') response.writeHead(502).end('<b>inner detail</b>');
      else if (request.url === '/gone') response.writeHead(404).end('inner detail');
      else response.end('done');
    });
    const { ask } = open([site.entry], { wait });
    await expect(ask(`${site.url}/busy`)).resolves.toMatchObject({ text: 'done' });
    expect(waits.filter((pause) => pause >= 6_500).length).toBeGreaterThanOrEqual(2);
    const problems = await Promise.all(
      ['/later', '/down', '/gone'].map((path) => ask(site.url + path).catch((problem) => problem)),
    );
    expect(problems.map(({ status }) => status)).toEqual([502, 502, 502]);
    expect(problems[0]).toMatchObject({ retryAfter: 3600 });
    expect(JSON.stringify(problems.map(String))).not.toContain('inner detail');
    const asked = (path: string) => site.seen.filter(({ url }) => url === path).length;
    expect(['/later', '/down', '/gone'].map(asked)).toEqual([1, 4, 1]);
  });

  it('that are refused for ever, or until 2099, end as errors', async () => {
    const pauses: number[] = [];
    const wait = async (milliseconds: number) => void pauses.push(milliseconds);
    const always = async (status: number, after?: string) => {
      const headers = after === undefined ? {} : { 'retry-after': after };
      const site = await serve((_, response) => response.writeHead(status, headers).end());
      const { ask } = open([site.entry], { wait });
      await expect(ask(site.url), after).rejects.toMatchObject({ status: 502 });
      return site.seen.length;
    };
    for (const after of ['999999', '99999999999', 'Fri, 31 Dec 2099 23:59:59 GMT']) {
      expect([await always(429, after), await always(503, after)]).toEqual([1, 1]);
    }
    expect(pauses).toEqual([]);
    expect(await always(503, '0')).toBe(4);
    expect(await always(429, '60')).toBeLessThanOrEqual(6);
    // Pauses grow where the server names none.
    expect(await always(429, '0')).toBeLessThan(20);
    expect(await always(429)).toBeLessThan(20);
    expect(Math.max(...pauses)).toBeLessThan(61_000);
  });

  it('that are waited for end at once at the signal', async () => {
    const site = await serve((_, response) => response.writeHead(429, { 'retry-after': '50' }).end());
    const outgoing = createOutgoing({
      settings: { allow: [site.entry], time_limit: 60_000, longest_wait: 60_000 },
    });
    closers.push(() => outgoing.close());
    const stop = new AbortController();
    const asked = outgoing.open({ url: site.url, limit: 1 }, stop.signal).catch((error) => error);
    await until('the refusal', () => site.seen.length === 1);
    stop.abort(new Error('canceled'));
    expect(String(await asked)).toMatch(/abort|canceled/i);
  });

  it('end at the time limit and at the signal, however slowly they arrive', async () => {
    const site = await serve((_, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { ask, outgoing } = open([site.entry]);
    await expect(ask(site.url, { time: 300 })).rejects.toMatchObject({ status: 504 });
    const stop = new AbortController();
    const answer = await outgoing.open({ url: site.url, limit: 1e6 }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    await expect(readBytes(answer)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('are closed when they are given up, read or not', async () => {
    let closed = 0;
    const site = await serve((_, response) => {
      response.write('x'.repeat(1_000));
      response.on('close', () => closed++);
    });
    const { outgoing } = open([site.entry]);
    const { signal } = new AbortController();
    const unread = await outgoing.open({ url: site.url, limit: 1e6 }, signal);
    await unread.body[Symbol.asyncIterator]().return?.();
    const begun = await outgoing.open({ url: site.url, limit: 1e6 }, signal);
    for await (const _ of begun.body) break;
    await until('both connections are closed', () => closed === 2);
  });
});
