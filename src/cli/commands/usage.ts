import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKey } from '../../contracts/api-keys.ts';
import type { UsageReport } from '../../contracts/usage.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { type ManagementApi, openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';
import { type GroupedUsage, type Grouping, groupings, groupUsage } from '../usage/group-usage.ts';

interface Options extends ServerOptions {
  from?: string;
  to?: string;
  forKey?: string;
  model?: string;
  by?: Grouping;
  json?: boolean;
}

const examples = `
Examples:
  roundhouse usage --by key
  roundhouse usage --from 30d --by day
  roundhouse usage --from 2027-01-01 --to 2027-01-31 --for-key portal --json`;

export function register(program: Command): void {
  withServerOptions(
    program
      .command('usage')
      .description('Show requests, tokens and pages by day, key and model; the current month by default'),
  )
    .option('--from <day>', 'first day (UTC): 2027-01-31, or 7d for seven days ago', day)
    .option('--to <day>', 'last day (UTC), in the same format as --from', day)
    .option('--for-key <key>', 'only usage of this key: its id, name or owner, or anonymous')
    .option('--model <model>', 'only usage of this model')
    .addOption(new Option('--by <what>', 'add up by day, key or model').choices(groupings))
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(show);
}

function day(text: string): string {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days) return new Date(Date.now() - Number(days) * 86_400_000).toISOString().slice(0, 10);
  const time = new Date(`${text}T00:00:00Z`);
  if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) && text.length === 10) return text;
  throw new InvalidArgumentError('expected a day such as 2027-01-31, or 7d for seven days ago');
}

async function show({ from, to, model, forKey, by, ...options }: Options): Promise<void> {
  const api = await openManagement(options);
  const key = forKey === undefined ? undefined : await keyId(api, forKey);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ from, to, model, key })) if (value) search.set(name, value);
  const report = await api.call<UsageReport>('GET', `usage?${search}`);
  const groups: GroupedUsage[] = by ? groupUsage(report.days, by) : report.days;
  if (options.json) return printJson(by ? { ...report, days: undefined, [`${by}s`]: groups } : report);
  const period = report.from === report.to ? report.from : `${report.from} to ${report.to}`;
  if (groups.length === 0) return print(`no usage from ${period} (UTC)`);
  const columns = by ? [by] : groupings;
  const rows = [...groups.map((group) => rowOf(group, columns)), rowOf(report.total, columns)];
  print(table([...columns.map((column) => column.toUpperCase()), ...countNames], rows));
  process.stderr.write(`${period} (UTC); usage of the last seconds may be missing\n`);
}

const countNames = ['REQUESTS', 'FAILED', 'PROMPT TOKENS', 'COMPLETION TOKENS', 'PAGES'];

function rowOf(row: GroupedUsage, columns: readonly Grouping[]): string[] {
  const nameOf = (column: Grouping) => (column === 'key' ? (row.key_name ?? row.key) : row[column]);
  const [first = 'total', ...others] = columns.map(nameOf);
  const names = [first, ...others.map((name) => name ?? '')];
  const { requests, failures, prompt_tokens, completion_tokens, pages } = row;
  return [...names, ...[requests, failures, prompt_tokens, completion_tokens, pages].map(String)];
}

/** People know keys by their names, and those of accounts by e-mail addresses; the API knows ids. */
async function keyId(api: ManagementApi, named: string): Promise<string> {
  if (named === 'anonymous') return named;
  const keys = await api.call<ApiKey[]>('GET', 'keys/');
  const byId = keys.find(({ id }) => id === named);
  if (byId) return byId.id;
  const byName = keys.filter(({ name }) => name === named);
  const found = byName.length > 0 ? byName : keys.filter(({ owner }) => owner === named);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new StartupError(`several keys belong to '${named}'; choose one by its id: ${ids}`);
  }
  if (found[0]) return found[0].id;
  throw new StartupError(`no key '${named}'; 'roundhouse keys list' shows them`);
}
