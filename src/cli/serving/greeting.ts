import type { Platform } from '../../server.ts';

export interface Greeting extends Pick<Platform, 'adminKey' | 'served'> {
  /** The address that others can use. */
  address: string;
  /** The address on this machine. */
  local: string;
  /** Whether the key may be shown: a terminal forgets it, a log does not. */
  terminal: boolean;
  /** Whether callers need no key (`auth.open`). */
  open: boolean;
  seconds: number;
  /** The dispatcher in another process, where a part here needs one. */
  dispatcher?: { url: string; problem: string | null } | undefined;
}

/** What `serve` prints once the platform listens: only what this process serves. */
export function greeting(shown: Greeting): string {
  const { address, local, adminKey, served, open, terminal, seconds, dispatcher } = shown;
  const references = served.flatMap(({ part, docs }) => (docs ? [[part, `${address}${docs}`] as const] : []));
  const width = Math.max(0, ...references.map(([part]) => part.length));
  const lines = [
    '',
    `  Roundhouse ${dispatcher?.problem ? 'is running' : 'is ready'} (${seconds.toFixed(1)} s)`,
    '',
    hasPart(served, 'console') ? `  Open            ${address}/` : `  Listening on    ${address}`,
    ...(local === address ? [] : [`  On this machine ${local}/`]),
    `  Parts           ${served.map(({ part }) => part).join(', ')}`,
    ...references.map(
      ([part, url], at) =>
        `  ${at === 0 ? 'API references' : '              '}  ${part.padEnd(width)}  ${url}`,
    ),
    ...(dispatcher ? [`  Dispatcher      ${dispatcher.url}`] : []),
    `  Admin key       ${describeAdminKey(adminKey, terminal)}`,
    ...keyLines(served, open),
    ...(dispatcher?.problem ? ['', `  Not ready yet: ${dispatcher.problem}.`] : []),
    '',
    '  Press Ctrl+C to stop.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** The admin key as a shell expression, for examples. */
export function adminKeyInShell({ configured, inFile, file }: Platform['adminKey']): string {
  if (configured) return '$ROUNDHOUSE_ADMIN_TOKEN';
  return inFile ? `$(cat ${file})` : '<key>';
}

export const hasPart = (served: Platform['served'], name: string) => served.some(({ part }) => part === name);

function describeAdminKey(
  { unseen, configured, inFile, file }: Platform['adminKey'],
  terminal: boolean,
): string {
  if (unseen && terminal) return `${unseen}  (shown only this once; stored in ${file})`;
  if (configured) return 'as configured (admin_token)';
  return inFile
    ? `in ${file}`
    : 'not known to this process: another one created it in the database that they share';
}

function keyLines(served: Platform['served'], open: boolean): string[] {
  const names = [
    ...(hasPart(served, 'dispatcher') ? ['the dispatcher'] : []),
    ...(hasPart(served, 'management') ? ['the management API'] : []),
  ];
  if (names.length === 0) return [];
  if (open) return ['', `  Callers need no key for ${names.join(' and ')} (auth.open).`];
  return ['', '  Callers need a key. Create one with: ./roundhouse keys create --name <name>'];
}
