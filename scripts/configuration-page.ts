import { variableOf } from '../src/platform/config/environment.ts';
import { leavesOf } from '../src/platform/config/leaves.ts';
import { ConfigInput } from '../src/settings.ts';

/** The page that lists every setting, generated from the schema. */
export function configurationPage(): string {
  const defaults = ConfigInput.parse({});
  const rows = leavesOf(ConfigInput).map(({ path, description }) => {
    const cells = [
      `\`${path.join('.')}\``,
      `\`${variableOf(path)}\``,
      shown(valueAt(defaults, path)),
      description,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `${introduction}\n| Setting | Variable | Default | Description |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

const introduction = `# Configuration

Settings are read from \`roundhouse.yaml\` in the working folder (or from the file in \`--config\` or \`ROUNDHOUSE_CONFIG\`),
then from environment variables, then from the command line; later sources override earlier ones. A dot in a setting's
name is a level in the file:

\`\`\`yaml
port: 8080
telemetry:
  log_level: warn
\`\`\`

is equivalent to \`ROUNDHOUSE_PORT=8080 ROUNDHOUSE_TELEMETRY_LOG_LEVEL=warn\` and to
\`roundhouse serve --port 8080 --set telemetry.log_level=warn\`. Lists in a variable are comma-separated. Durations are
written as \`250ms\`, \`30s\`, \`5m\`, \`1h\`; sizes as \`500KB\`, \`32MiB\`, \`1GiB\`.

The platform refuses to start if a setting is unknown or invalid, and lists all such settings at once.
\`roundhouse config check\` checks the settings without starting; \`roundhouse config print\` shows the effective settings
with secrets masked.

This page is generated from the schema (\`npm run generate\`). Defaults are shown as parsed: durations in milliseconds,
sizes in bytes.
`;

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

function shown(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
