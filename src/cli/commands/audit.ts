import { type Command, Option } from 'commander';
import {
  AuditAction,
  type AuditActor,
  type AuditEntry,
  type AuditPage,
  longestAuditPage,
} from '../../contracts/management/audit.ts';
import { type ManagementApi, openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { pastTime, positiveInteger } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface Filters {
  action?: AuditAction;
  actor?: string;
  subject?: string;
  since?: string;
  until?: string;
}

interface Options extends ServerOptions, Filters {
  limit: number;
  json?: boolean;
}

const examples = `
Examples:
  roundhouse audit --since 2h
  roundhouse audit --action key.create --json
  roundhouse audit --actor portal --limit 20`;

export function register(program: Command): void {
  const command = program.command('audit').description('Show the audit log, newest entries first');
  withServerOptions(command)
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .option('--since <time>', 'only entries since: 30m, 2h, 7d, 2027-01-31 or 2027-01-31T18:00:00Z', pastTime)
    .option('--until <time>', 'only entries before, in the same format as --since', pastTime)
    .addOption(new Option('--action <action>', 'only entries with this action').choices(AuditAction.options))
    .option(
      '--actor <actor>',
      'only entries of this actor: id or name of a key, anonymous, platform or platform:<reason>',
    )
    .option('--subject <subject>', 'only entries for this model, key, data set, …')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(show);
}

async function show({ action, actor, subject, since, until, ...options }: Options): Promise<void> {
  const filters: Filters = { action, actor, subject, since, until };
  const entries = await fetchEntries(await openManagement(options), filters, options.limit);
  if (options.json) return printJson(entries);
  if (entries.length > 0) return print(table(['TIME', 'ACTOR', 'ACTION', 'SUBJECT'], entries.map(rowOf)));
  const filtered = Object.values(filters).some((value) => value !== undefined);
  print(
    filtered
      ? 'no matching entries; remove a filter or use an earlier --since'
      : "no entries yet; changes such as 'roundhouse models add' or 'roundhouse keys create' appear here",
  );
}

/** Fetches several pages if the limit exceeds the page size. */
async function fetchEntries(api: ManagementApi, filters: Filters, limit: number): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let next: number | null = null;
  do {
    const query = { ...filters, limit: Math.min(limit - entries.length, longestAuditPage), before: next };
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value != null) search.set(name, String(value));
    const page: AuditPage = await api.call<AuditPage>('GET', `audit?${search}`);
    entries.push(...page.entries);
    next = page.next;
  } while (next !== null && entries.length < limit);
  return entries;
}

function rowOf({ at, actor, action, subject, details }: AuditEntry): string[] {
  // Names are more readable than ids, so a name comes first if there is one.
  const named = typeof details.name === 'string' ? `${details.name} (${subject})` : subject;
  return [at.slice(0, 19).replace('T', ' '), actorInWords(actor), action, named];
}

function actorInWords({ kind, id, name }: AuditActor): string {
  if (kind === 'platform') return `platform (${name})`;
  if (kind !== 'key') return kind;
  // A key from before these names were reserved.
  return /^(anonymous|platform)\b/i.test(name ?? '') ? `key ${name}` : (name ?? id ?? kind);
}
