import { variableOf } from '../src/platform/config/environment.ts';
import { type Leaf, leavesOf } from '../src/platform/config/leaves.ts';
import { withUnit } from '../src/platform/config/units.ts';
import { ConfigInput } from '../src/settings.ts';

/** The page that lists every setting, generated from the schema. */
export function configurationPage(): string {
  const defaults = ConfigInput.parse({});
  const rows = leavesOf(ConfigInput).map(({ path, description, measure }) => {
    const cells = [
      `\`${path.join('.')}\``,
      `\`${variableOf(path)}\``,
      shown(valueAt(defaults, path), measure),
      description,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `${introduction}\n| Setting | Variable | Default | Description |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

const introduction = `# Configuration

Settings come from \`roundhouse.yaml\` in the working folder (or the file given by \`--config\` or \`ROUNDHOUSE_CONFIG\`).
Environment variables override the file, and the command line overrides both. A dot in a setting's name is a level in the
file:

\`\`\`yaml
port: 8080
telemetry:
  log_level: warn
\`\`\`

is the same as \`ROUNDHOUSE_PORT=8080 ROUNDHOUSE_TELEMETRY_LOG_LEVEL=warn\`, and
\`roundhouse serve --port 8080 --set telemetry.log_level=warn\`. Lists in a
variable are separated by commas. A duration is \`250ms\`, \`30s\`, \`5m\`, \`1h\`, \`7d\`; a size is \`500KB\`, \`32MiB\`, \`1GiB\`.

The platform refuses to start with unknown or invalid settings, and lists all of them.
\`roundhouse config check\` checks them without starting; \`roundhouse config print\` shows every setting in effect,
with its unit and with secrets masked, as a file that can be used as \`roundhouse.yaml\`.

\`ROUNDHOUSE_URL\` and \`ROUNDHOUSE_API_KEY\` are not settings of the platform: they tell [commands](cli.md) which platform
to call.
`;

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

function shown(value: unknown, measure: Leaf['measure']): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value === 'number') return `\`${withUnit(value, measure)}\``;
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
