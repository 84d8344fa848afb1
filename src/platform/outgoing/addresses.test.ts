import { afterEach, describe, expect, it, vi } from 'vitest';
import { hello, outgoingTests } from '../../../test/testkit/outgoing.ts';

const { names, open, serve, close } = outgoingTests();
afterEach(close);

const refused = { code: 'address_not_allowed' };

describe('addresses', () => {
  it('are refused on this machine in every notation, and nothing is sent', async () => {
    const { url, port, seen } = await serve(hello);
    const { ask } = open();
    const hosts = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '0.0.0.0',
      '[::1]',
    ];
    for (const host of [...hosts, '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '127.0.0.1.']) {
      await expect(ask(`http://${host}:${port}/`), host).rejects.toMatchObject(refused);
    }
    await expect(ask(url)).rejects.toThrow(/outgoing\.allow/);
    expect(seen).toEqual([]);
  });

  it('are opened by host and port, and only those', async () => {
    const opened = await serve(hello);
    const other = await serve(hello);
    const { ask } = open([opened.entry, '127.0.0.0/8', '127.0.0.1']);
    await expect(ask(opened.url)).resolves.toMatchObject({ status: 200, text: 'hello' });
    await expect(ask(other.url)).rejects.toMatchObject(refused);
    expect(other.seen).toEqual([]);
  });

  it('are not named in the refusal of a name, whichever of its addresses is at fault', async () => {
    const { lookup } = await names((name) =>
      name === 'mixed.example' ? ['1.1.1.1', '10.20.30.40'] : ['10.20.30.40'],
    );
    const { ask } = open([], { lookup });
    for (const name of ['inner.example', 'mixed.example']) {
      const error: Error = await ask(`http://${name}/`).catch((problem) => problem);
      expect(error).toMatchObject(refused);
      expect(error.message).not.toContain('10.20');
    }
  });

  it('are looked up once per connection, so a second answer leads nowhere', async () => {
    const first = await serve(hello, { host: '127.0.0.2' });
    const second = await serve((_, response) => response.end('inner'), {
      host: '127.0.0.3',
      port: first.port,
    });
    const { lookup, asked } = await names((_, times) => [times === 1 ? '127.0.0.2' : '127.0.0.3']);
    const { ask } = open([first.entry], { lookup });
    await expect(ask(`http://rebind.example:${first.port}/`)).resolves.toMatchObject({ text: 'hello' });
    expect(asked).toEqual(['rebind.example']);
    expect(second.seen).toEqual([]);
    // The next connection is checked anew.
    const { ask: again } = open([first.entry], { lookup });
    await expect(again(`http://rebind.example:${first.port}/`)).rejects.toMatchObject(refused);
    expect(second.seen).toEqual([]);
  });

  it('that do not resolve are reported as such', async () => {
    const { lookup } = await names(() => []);
    await expect(open([], { lookup }).ask('http://nowhere.example/')).rejects.toMatchObject({
      code: 'unknown_host',
    });
  });

  it('that the administrator trusts are not checked, and lead nowhere else', async () => {
    const inner = await serve(hello);
    const mirror = await serve((request, response) =>
      request.url === '/out' ? response.writeHead(302, { location: inner.url }).end() : response.end('hello'),
    );
    const { ask } = open();
    await expect(ask(mirror.url, { trusted: ({ origin }) => origin === mirror.url })).resolves.toMatchObject({
      text: 'hello',
    });
    await expect(
      ask(`${mirror.url}/out`, { trusted: ({ origin }) => origin === mirror.url }),
    ).rejects.toMatchObject(refused);
    await expect(ask(mirror.url)).rejects.toMatchObject(refused);
    expect(inner.seen).toEqual([]);
  });
});

describe('proxies', () => {
  it('are used for trusted servers only', async () => {
    const proxy = await serve((_, response) => response.end('through the proxy'));
    const site = await serve(hello, { host: '127.0.0.2' });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const { ask } = open([site.entry]);
    vi.unstubAllEnvs();
    await expect(ask(site.url)).resolves.toMatchObject({ text: 'hello' });
    await expect(ask(site.url, { trusted: () => true })).resolves.toMatchObject({
      text: 'through the proxy',
    });
    expect(proxy.seen.map(({ url }) => url)).toEqual([`${site.url}/`]);
  });
});
