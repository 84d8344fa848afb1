import { afterEach, describe, expect, it } from 'vitest';
import { outgoingTests } from '../../../test/testkit/outgoing.ts';

const { open, serve, close } = outgoingTests();
afterEach(close);

const refused = { code: 'address_not_allowed' };

describe('redirects', () => {
  it('are checked at every step, and the forbidden address is not named', async () => {
    const inner = await serve((_, response) => response.end('secret'), { host: '127.0.0.3' });
    for (const location of [
      inner.url,
      'http://169.254.169.254/latest/',
      'file:///etc/passwd',
      'gopher://x',
      'http://u:p@x/',
      'http://[::1]/',
      'http://0.0.0.0/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://[::ffff:169.254.169.254]/',
      encodeURI('http://①②⑦.1/'),
    ]) {
      const outer = await serve((_, response) => response.writeHead(302, { location }).end());
      const error: Error = await open([outer.entry])
        .ask(outer.url)
        .catch((problem) => problem);
      expect(error, location).toMatchObject(refused);
      expect(error.message).not.toMatch(/127\.0\.0\.3|169\.254|passwd|gopher/);
    }
    expect(inner.seen).toEqual([]);
  });

  it('carry cookies back to the same server, and credentials to no other', async () => {
    const storage = await serve((_, response) => response.end('file'), { host: '127.0.0.2' });
    const site = await serve((request, response) => {
      if (request.headers.cookie !== 'guest=1') {
        response.writeHead(302, { location: request.url, 'set-cookie': 'guest=1; Path=/; HttpOnly' }).end();
      } else response.writeHead(307, { location: `${storage.url}/f?a=b` }).end();
    });
    const { ask } = open([site.entry, storage.entry]);
    const answer = await ask(`${site.url}/x`, { credentials: { authorization: 'Bearer hunter2' } });
    expect(answer).toMatchObject({ text: 'file', url: `${storage.url}/f?a=b` });
    expect(site.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer hunter2',
      'Bearer hunter2',
    ]);
    expect(JSON.stringify(storage.seen)).not.toMatch(/hunter2|guest/);
  });

  it('may be relative and in Cyrillic, and end', async () => {
    const site = await serve((request, response) => {
      const { url = '' } = request;
      if (url === '/start')
        response.writeHead(301, { location: Buffer.from('/файл.txt').toString('latin1') }).end();
      else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.end(decodeURI(url));
    });
    const { ask } = open([site.entry]);
    await expect(ask(`${site.url}/start`)).resolves.toMatchObject({ text: '/файл.txt' });
    await expect(ask(`${site.url}/loop`)).rejects.toThrow(/redirects more than 10 times/);
  });
});
