import type { Command } from 'commander';
import type { ApiKey, ApiKeyLimits } from '../../contracts/api-keys.ts';
import type { KeyClient } from '../server/key-client.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { print } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface CreateOptions extends ConfigOptions {
  name: string;
  owner?: string;
  scope: string[];
  expires?: string;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  tokensPerMonth?: number;
  parallelRequests?: number;
  models?: string[];
  json?: boolean;
}

export function register(program: Command): void {
  const keys = program.command('keys').description('Manage API keys');

  withConfigOptions(keys.command('create').description('Create a key; it is shown only once'))
    .requiredOption('--name <name>', 'what the key is for')
    .option('--owner <owner>', 'who uses the key')
    .option('--scope <scope...>', 'scopes: admin, inference, index, index:read, pods', ['inference'])
    .option('--expires <time>', 'expiry: 2027-01-31 or 2027-01-31T18:00:00Z')
    .option('--requests-per-minute <number>', 'limit of requests per minute', positiveInteger)
    .option('--tokens-per-minute <number>', 'limit of tokens per minute', positiveInteger)
    .option('--tokens-per-month <number>', 'limit of tokens per calendar month (UTC)', positiveInteger)
    .option('--parallel-requests <number>', 'limit of requests at the same time', positiveInteger)
    .option('--models <names>', 'comma-separated models that the key may use (default: all)', names)
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      withKeys(options, async (client) => {
        const created = await client.create({
          name: options.name,
          owner: options.owner,
          scopes: options.scope,
          expires_at: options.expires && expiry(options.expires),
          limits: limitsFrom(options),
        });
        print(
          options.json
            ? JSON.stringify(created, null, 2)
            : `${created.key}\n\nThe key is shown only this once. Id: ${created.id}`,
        );
      }),
    );

  withConfigOptions(keys.command('list').description('List keys'))
    .option('--json', 'print JSON')
    .action((options: ConfigOptions & { json?: boolean }) =>
      withKeys(options, async (client) => {
        const keys = await client.list();
        print(options.json ? JSON.stringify(keys, null, 2) : list(keys));
      }),
    );

  withConfigOptions(keys.command('revoke <id>').description('Revoke a key permanently')).action(
    (id: string, options: ConfigOptions) =>
      withKeys(options, async (client) => {
        const { name } = await client.revoke(id);
        print(`key '${name}' (${id}) was revoked`);
      }),
  );
}

async function withKeys(options: ConfigOptions, work: (client: KeyClient) => Promise<void>): Promise<void> {
  const { openKeyClient } = await import('../server/key-client.ts');
  const client = await openKeyClient(await configFrom(options));
  await work(client).finally(client.close);
}

const names = (text: string) => text.split(',').map((name) => name.trim());

function limitsFrom(options: CreateOptions): ApiKeyLimits {
  const limits: ApiKeyLimits = {
    requests_per_minute: options.requestsPerMinute,
    tokens_per_minute: options.tokensPerMinute,
    tokens_per_month: options.tokensPerMonth,
    parallel_requests: options.parallelRequests,
    models: options.models,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** A date without a time means the end of that day, in this machine's time zone. */
function expiry(text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T23:59:59`) : new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

function list(keys: ApiKey[]): string {
  const state = (key: ApiKey) => {
    if (key.revoked_at) return `revoked ${key.revoked_at}`;
    return key.expires_at ? `until ${key.expires_at}` : 'active';
  };
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.owner ?? '',
    key.scopes.join(','),
    state(key),
    key.last_used_at ?? 'never',
  ]);
  return table(['ID', 'NAME', 'OWNER', 'SCOPES', 'STATE', 'LAST USED'], rows);
}
