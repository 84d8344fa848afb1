import { type Command, InvalidArgumentError } from 'commander';
import {
  type ApiKey,
  type ApiKeyCreated,
  type ApiKeyLimits,
  type ApiKeyRequest,
  Scope,
} from '../../contracts/api-keys.ts';
import { openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { configFrom } from '../terminal/config-options.ts';
import { hintNext } from '../terminal/hint.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface ListOptions extends ServerOptions {
  json?: boolean;
}

interface CreateOptions extends ListOptions {
  name: string;
  owner?: string;
  scope: string[];
  expires?: string;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  tokensPerMonth?: number;
  pagesPerMinute?: number;
  pagesPerMonth?: number;
  parallelRequests?: number;
  models?: string[];
  offline?: boolean;
}

const examples = `
Examples:
  roundhouse keys create --name portal --requests-per-minute 60
  roundhouse keys create --name ops --scope admin --expires 2027-12-31
  roundhouse keys create --name recovery --scope admin --offline   (every admin key is lost)`;

export function register(program: Command): void {
  const keys = program.command('keys').description('Manage API keys');

  withServerOptions(keys.command('create').description('Create a key; it is shown only once'))
    .requiredOption('--name <name>', 'what the key is for')
    .option('--owner <owner>', 'who uses the key')
    .option('--scope <scope...>', `scopes: ${Scope.options.join(', ')}`, ['inference'])
    .option('--expires <time>', 'expiry: 2027-01-31 or 2027-01-31T18:00:00Z', expiry)
    .option('--requests-per-minute <number>', 'limit of requests per minute', positiveInteger)
    .option('--tokens-per-minute <number>', 'limit of tokens per minute', positiveInteger)
    .option('--tokens-per-month <number>', 'limit of tokens per calendar month (UTC)', positiveInteger)
    .option('--pages-per-minute <number>', 'limit of document pages per minute', positiveInteger)
    .option('--pages-per-month <number>', 'limit of document pages per calendar month (UTC)', positiveInteger)
    .option('--parallel-requests <number>', 'limit of requests at the same time', positiveInteger)
    .option('--models <names>', 'comma-separated models that the key may use (default: all)', names)
    .option('--offline', 'write to the database of a stopped platform, if every admin key is lost')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(create);

  withServerOptions(keys.command('list').description('List keys'))
    .option('--json', 'print JSON')
    .action(list);

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
    limits: limitsFrom(options),
  };
  const created = options.offline
    ? await createOffline(options, request)
    : await createOnline(options, request);
  if (options.json) return printJson(created);
  print(created.key);
  process.stderr.write(`\nThe key is shown only this once. Id: ${created.id}\n`);
  hintNext('keys list');
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
    key.last_used_at ?? 'never',
  ]);
  print(table(['ID', 'NAME', 'OWNER', 'SCOPES', 'STATE', 'LAST USED'], rows));
}

async function revoke(id: string, options: ListOptions): Promise<void> {
  const api = await openManagement(options);
  const key = await api.call<ApiKey>('DELETE', `keys/${encodeURIComponent(id)}`);
  if (options.json) return printJson(key);
  print(`key '${key.name}' (${id}) was revoked`);
}

const names = (text: string) => text.split(',').map((name) => name.trim());

function limitsFrom(options: CreateOptions): ApiKeyLimits {
  const limits: ApiKeyLimits = {
    requests_per_minute: options.requestsPerMinute,
    tokens_per_minute: options.tokensPerMinute,
    tokens_per_month: options.tokensPerMonth,
    pages_per_minute: options.pagesPerMinute,
    pages_per_month: options.pagesPerMonth,
    parallel_requests: options.parallelRequests,
    models: options.models,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** A date without a time means the end of that day, in this machine's time zone. */
function expiry(text: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59` : text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('expected 2027-01-31 or 2027-01-31T18:00:00Z');
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError('must be in the future');
  return time.toISOString();
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at) return `revoked ${revoked_at}`;
  if (!expires_at) return 'active';
  return `${Date.parse(expires_at) <= Date.now() ? 'expired' : 'until'} ${expires_at}`;
}
