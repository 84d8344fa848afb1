import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNameServer } from '../testkit/machine/name-server.ts';
import { startPlatform } from '../testkit/platform.ts';
import { until } from '../testkit/until.ts';

/** Runs on a sealed machine: serves a chat and an embeddings request, and prints what else happened. */
const [cwd = '', home = ''] = process.argv.slice(2);
const names = await startNameServer();
const platform = await startPlatform({ cwd, env: { HOME: home, ROUNDHOUSE_STARTER: 'true' } });
await until('both models are served', () => /is ready\. Try it:/.test(platform.output()), 120_000);
await until('both models are served', () => /is served as/.test(platform.output()), 120_000);

const ask = async (path: string, body: object) => {
  const response = await fetch(platform.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
};
const messages = [{ role: 'user', content: 'Say hello.' }];
const statuses = [
  await ask('/v1/chat/completions', { model: 'smollm2-135m-instruct', messages, max_tokens: 4 }),
  await ask('/v1/embeddings', { model: 'all-minilm-l6-v2', input: 'hello' }),
];
// Libraries that report something do so after a while, or when they end.
await sleep(4_000);
await platform.stop();
names.close();
process.stdout.write(
  JSON.stringify({
    statuses,
    asked: names.asked,
    unreachable: unreachablePackets(),
    files: readdirSync(home, { recursive: true }),
  }),
);
process.exit(0);

/** How many packets this network could not deliver, because they were for an address elsewhere. */
function unreachablePackets(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8').split('\n');
  const version4 = Number(values.split(' ')[names.split(' ').indexOf('OutNoRoutes')]);
  const version6 = Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(readFileSync('/proc/net/snmp6', 'utf8'))?.[1]);
  return version4 + version6;
}
