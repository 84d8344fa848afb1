import { type Command, Option } from 'commander';
import { type Account, AccountStatus } from '../../contracts/hosted/accounts.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { changedLimits, describeLimits, type LimitOptions, withLimitOptions } from '../keys/limit-options.ts';
import { type ManagementApi, openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { time } from '../terminal/amounts.ts';
import { hintNext } from '../terminal/hint.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface Options extends ServerOptions {
  json?: boolean;
}

const examples = `
Without options the key gets the limits of the setting hosted.limits. Examples:
  roundhouse accounts approve ann@example.org
  roundhouse accounts approve ann@example.org --requests-per-minute 60 --tokens-per-month none`;

export function register(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('List, approve and close the accounts of the hosted API');
  withServerOptions(accounts.command('list').description('List accounts, oldest first'))
    .addOption(
      new Option('--status <status>', 'only accounts with this status').choices(AccountStatus.options),
    )
    .option('--json', 'print JSON')
    .action(list);
  withLimitOptions(
    withServerOptions(
      accounts
        .command('approve <account>')
        .description('Approve a pending account, by e-mail address or id: its key works from now on'),
    ),
    { removable: true },
  )
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(approve);
  withServerOptions(
    accounts
      .command('close <account>')
      .description('Refuse or close an account, by e-mail address or id, and revoke its key'),
  )
    .option('--json', 'print JSON')
    .action(close);
}

async function list(options: Options & { status?: AccountStatus }): Promise<void> {
  const api = await openManagement(options);
  const query = options.status ? `?status=${options.status}` : '';
  const accounts = await api.call<Account[]>('GET', `accounts/${query}`);
  if (options.json) return printJson(accounts);
  if (accounts.length === 0) return print(nothing(api, options.status));
  const rows = accounts.map(({ id, email, name, status, created_at, key }) => [
    id,
    email,
    name ?? '',
    status,
    time(created_at),
    key?.last_used_at ? time(key.last_used_at) : 'never',
  ]);
  print(table(['ID', 'E-MAIL', 'NAME', 'STATUS', 'REGISTERED', 'LAST USED'], rows));
  const pending = accounts.find(({ status }) => status === 'pending');
  if (pending) hintNext(`accounts approve ${pending.email}`);
}

const nothing = ({ target }: ManagementApi, status: AccountStatus | undefined) =>
  status
    ? `no ${status} accounts`
    : `no accounts yet; developers register at ${target.url}/hosted/v1/register`;

async function approve(named: string, options: Options & LimitOptions): Promise<void> {
  const api = await openManagement(options);
  const { id, key, email, status } = await find(api, named);
  if (status === 'active' && key)
    throw new StartupError(
      `the account of ${email} is already active; change its limits with: roundhouse keys update ${key.id}`,
    );
  const limits = changedLimits(key?.limits ?? {}, options);
  const account = await api.call<Account>('POST', `${pathOf(id)}/approve`, limits ? { limits } : {});
  if (options.json) return printJson(account);
  print(`the account of ${account.email} is approved; ${describeLimits(account.key?.limits ?? {})}`);
  if (account.key) hintNext(`usage --for-key ${account.key.id}`);
}

async function close(named: string, options: Options): Promise<void> {
  const api = await openManagement(options);
  const account = await api.call<Account>('DELETE', pathOf((await find(api, named)).id));
  if (options.json) return printJson(account);
  print(`the account of ${account.email} is closed, and its key revoked`);
}

const pathOf = (id: string) => `accounts/${encodeURIComponent(id)}`;

async function find(api: ManagementApi, named: string): Promise<Account> {
  const email = named.toLowerCase();
  const accounts = await api.call<Account[]>('GET', 'accounts/');
  const found = accounts.find((account) => account.id === named || account.email === email);
  if (found) return found;
  throw new StartupError(`no account '${named}'; 'roundhouse accounts list' shows them`);
}
