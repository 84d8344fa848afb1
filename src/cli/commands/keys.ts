import type { Command } from 'commander';
import type { ApiKey } from '../../contracts/api-keys.ts';
import type { KeyDesk } from '../server/key-desk.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { print } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface CreateOptions extends ConfigOptions {
  name: string;
  owner?: string;
  scope: string[];
  expires?: string;
  json?: boolean;
}

export function register(program: Command): void {
  const keys = program.command('keys').description('Make, list and revoke API keys');

  withConfigOptions(keys.command('create').description('Make a key; it is shown once'))
    .requiredOption('--name <name>', 'what the key is for')
    .option('--owner <owner>', 'who holds it')
    .option('--scope <scope...>', 'admin, inference, index, index:read, pods', ['inference'])
    .option('--expires <time>', 'when it ends: 2027-01-31 or 2027-01-31T18:00:00Z')
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      atDesk(options, async (desk) => {
        const created = await desk.create({
          name: options.name,
          owner: options.owner,
          scopes: options.scope,
          expires_at: options.expires && expiry(options.expires),
        });
        print(
          options.json
            ? JSON.stringify(created, null, 2)
            : `${created.key}\n\nThis is the only time it is shown. Id: ${created.id}`,
        );
      }),
    );

  withConfigOptions(keys.command('list').description('List keys'))
    .option('--json', 'print JSON')
    .action((options: ConfigOptions & { json?: boolean }) =>
      atDesk(options, async (desk) => {
        const keys = await desk.list();
        print(options.json ? JSON.stringify(keys, null, 2) : list(keys));
      }),
    );

  withConfigOptions(keys.command('revoke <id>').description('Revoke a key for good')).action(
    (id: string, options: ConfigOptions) =>
      atDesk(options, async (desk) => {
        const { name } = await desk.revoke(id);
        print(`key '${name}' (${id}) is revoked`);
      }),
  );
}

async function atDesk(options: ConfigOptions, work: (desk: KeyDesk) => Promise<void>): Promise<void> {
  const { openKeyDesk } = await import('../server/key-desk.ts');
  const desk = await openKeyDesk(await configFrom(options));
  await work(desk).finally(desk.close);
}

/** A bare day means its end, in this machine's time zone. */
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
