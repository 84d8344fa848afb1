import type { Command } from 'commander';
import {
  type ApiKey,
  type ApiKeyChanges,
  type ApiKeyCreated,
  type ApiKeyRequest,
  Scope,
} from '../../contracts/api-keys.ts';
import { expiry, expiryOrNever } from '../keys/expiry.ts';
import { changedLimits, describeLimits, type LimitOptions, withLimitOptions } from '../keys/limit-options.ts';
import { openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { time } from '../terminal/amounts.ts';
import { configFrom } from '../terminal/config-options.ts';
import { hintNext } from '../terminal/hint.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface ListOptions extends ServerOptions {
  json?: boolean;
}

interface CreateOptions extends ListOptions, LimitOptions {
  name: string;
  owner?: string;
  scope: string[];
  expires?: string;
  offline?: boolean;
}

interface UpdateOptions extends ListOptions, LimitOptions {
  name?: string;
  owner?: string;
  scope?: string[];
  expires?: string;
}

const examples = `
Examples:
  roundhouse keys create --name portal --requests-per-minute 60
  roundhouse keys create --name ops --scope admin --expires 2027-12-31
  roundhouse keys create --name recovery --scope admin --offline   (every admin key is lost)`;

const updateExamples = `
Only what is named changes. Examples:
  roundhouse keys update <id> --tokens-per-month 5000000
  roundhouse keys update <id> --requests-per-minute none --expires never`;

export function register(program: Command): void {
  const keys = program.command('keys').description('Manage API keys');
  const scopes = `scopes: ${Scope.options.join(', ')}`;

  withLimitOptions(
    withServerOptions(keys.command('create').description('Create a key; it is shown only once'))
      .requiredOption('--name <name>', 'what the key is for')
      .option('--owner <owner>', 'who uses the key')
      .option('--scope <scope...>', scopes, ['inference'])
      .option('--expires <time>', 'expiry: 2027-01-31 or 2027-01-31T18:00:00Z', expiry),
  )
    .option('--offline', 'write to the database of a stopped platform, if every admin key is lost')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(create);

  withServerOptions(keys.command('list').description('List keys'))
    .option('--json', 'print JSON')
    .action(list);

  withLimitOptions(
    withServerOptions(keys.command('update <id>').description('Change a key: name, scopes, expiry, limits'))
      .option('--name <name>', 'what the key is for')
      .option('--owner <owner>', 'who uses the key')
      .option('--scope <scope...>', scopes)
      .option('--expires <time>', 'expiry: 2027-01-31, 2027-01-31T18:00:00Z or never', expiryOrNever),
    { removable: true },
  )
    .option('--json', 'print JSON')
    .addHelpText('after', updateExamples)
    .action(update);

  withServerOptions(
    keys
      .command('rotate <id>')
      .description('Replace the secret of a key; the old one stops working, limits and usage stay'),
  )
    .option('--json', 'print JSON')
    .action(rotate);

  withServerOptions(keys.command('revoke <id>').description('Revoke a key permanently'))
    .option('--json', 'print JSON')
    .action(revoke);
}

async function create(options: CreateOptions): Promise<void> {
  const request = {
    name: options.name,
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    scopes: options.scope as ApiKeyRequest['scopes'],
    ...(options.expires === undefined ? {} : { expires_at: options.expires }),
    limits: changedLimits({}, options) ?? {},
  };
  const created = options.offline
    ? await createOffline(options, request)
    : await createOnline(options, request);
  showSecret(created, options);
  if (!options.json) hintNext('keys list');
}

async function createOnline(options: ServerOptions, request: object): Promise<ApiKeyCreated> {
  return (await openManagement(options)).call('POST', 'keys/', request);
}

async function createOffline(options: ServerOptions, request: object): Promise<ApiKeyCreated> {
  const { createKeyOffline } = await import('../server/create-key-offline.ts');
  return createKeyOffline(await configFrom(options), request);
}

async function list(options: ListOptions): Promise<void> {
  const keys = await (await openManagement(options)).call<ApiKey[]>('GET', 'keys/');
  if (options.json) return printJson(keys);
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.owner ?? '',
    key.scopes.join(','),
    stateOf(key),
    key.last_used_at ? time(key.last_used_at) : 'never',
  ]);
  print(table(['ID', 'NAME', 'OWNER', 'SCOPES', 'STATE', 'LAST USED'], rows));
}

async function update(id: string, options: UpdateOptions): Promise<void> {
  const api = await openManagement(options);
  // The API replaces the limits as a whole; the command changes those that were named.
  const current = (await api.call<ApiKey[]>('GET', 'keys/')).find((key) => key.id === id);
  const changes: ApiKeyChanges = {
    name: options.name,
    owner: options.owner,
    scopes: options.scope as ApiKeyChanges['scopes'],
    expires_at: options.expires === 'never' ? null : options.expires,
    limits: changedLimits(current?.limits ?? {}, options),
  };
  const key = await api.call<ApiKey>('PATCH', `keys/${encodeURIComponent(id)}`, changes);
  if (options.json) return printJson(key);
  print(
    `key '${key.name}' (${id}): ${key.scopes.join(', ')}; ${stateOf(key)}; ${describeLimits(key.limits)}`,
  );
}

async function rotate(id: string, options: ListOptions): Promise<void> {
  const api = await openManagement(options);
  showSecret(await api.call<ApiKeyCreated>('POST', `keys/${encodeURIComponent(id)}/rotate`), options);
}

async function revoke(id: string, options: ListOptions): Promise<void> {
  const api = await openManagement(options);
  const key = await api.call<ApiKey>('DELETE', `keys/${encodeURIComponent(id)}`);
  if (options.json) return printJson(key);
  print(`key '${key.name}' (${id}) was revoked`);
}

function showSecret(created: ApiKeyCreated, { json }: ListOptions): void {
  if (json) {
    printJson(created);
    return;
  }
  print(created.key);
  process.stderr.write(`\nThe key is shown only this once. Id: ${created.id}\n`);
}

function stateOf({ revoked_at, expires_at, pending }: ApiKey): string {
  if (revoked_at) return `revoked ${revoked_at}`;
  if (pending) return 'awaits approval';
  if (!expires_at) return 'active';
  return `${Date.parse(expires_at) <= Date.now() ? 'expired' : 'until'} ${expires_at}`;
}
