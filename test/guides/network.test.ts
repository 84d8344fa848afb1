import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../testkit/machine/certificate.ts';
import { requirement } from '../testkit/requirement.ts';
import { networkAddress, starterModels } from './places.ts';
import { freePort, Reader } from './reader.ts';

const models = await starterModels();
const nginx = await requirement('nginx', () => {
  execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  return true;
});

describe.skipIf(!models.available || !nginx.available)('docs/guides/network.md', () => {
  let reader: Reader;
  let configuration: string;
  afterAll(async () => {
    if (configuration) execFileSync('nginx', ['-c', configuration, '-s', 'stop'], { stdio: 'ignore' });
    await reader?.close();
  });

  test('a network address with keys, and TLS by nginx', { timeout: 300_000 }, async () => {
    const [port, secure] = [await freePort(), await freePort()];
    reader = new Reader({
      environment: { ROUNDHOUSE_PORT: port },
    });
    const machine = reader.machine();
    models.place(machine);
    const { key, cert } = selfSigned();
    writeFileSync(join(machine, 'tls.key'), key);
    writeFileSync(join(machine, 'tls.crt'), cert);
    configuration = join(machine, 'nginx.conf');
    writeFileSync(configuration, nginxAround('roundhouse.conf', machine));

    await reader.follow('network.md', [
      ['10.0.0.1', networkAddress()],
      ['5500', port],
      ['listen 443', `listen 127.0.0.1:${secure}`],
      ['https://models.example', `--retry 20 --cacert tls.crt https://localhost:${secure}`],
      ['server_name models.example', 'server_name localhost'],
      ['/etc/ssl/models.example', 'tls'],
      ['sudo nginx -t && sudo nginx -s reload', 'nginx -c "$PWD/nginx.conf"'],
    ]);
    expect(reader.printed).toMatch(/^\S+ +portal /m);
    expect(reader.printed).toContain('"chat.completion"');
    expect(reader.printed).toContain('"chat.completion.chunk"');
    // The platform behind the proxy requires keys, and is no longer on the network.
    expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(401);
    await expect(fetch(`http://${networkAddress()}:${port}/v1/models`)).rejects.toThrow();
  });
});

/** What `/etc/nginx/nginx.conf` has around the file that the page describes. */
function nginxAround(file: string, folder: string): string {
  const writable = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    `pid ${folder}/tmp/nginx.pid;`,
    `error_log ${folder}/tmp/nginx.log;`,
    'events {}',
    'http {',
    '  access_log off;',
    ...writable.map((name) => `  ${name}_temp_path ${folder}/tmp/${name};`),
    `  include ${folder}/${file};`,
    '}',
  ].join('\n');
}
