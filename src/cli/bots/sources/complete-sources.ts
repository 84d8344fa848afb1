import { type Command, Option } from 'commander';
import { processEnvironment } from '../../../platform/config/environment.ts';
import { StartupError } from '../../../platform/startup-error.ts';
import { ask } from '../../terminal/ask.ts';
import type { NamedSource } from './source-option.ts';

export interface SourceOptions {
  type?: string;
  login?: string;
}

const types = ['direct_link', 'wiki', 'portal', 'drive_a', 'drive_b'];

export const sourceNotes = `
Links to wikis and portals need --type. Their credentials are asked for, or taken from ROUNDHOUSE_SOURCE_TOKEN
(wikis) and ROUNDHOUSE_SOURCE_PASSWORD (portals).`;

/** The options that say what links lead to. */
export const withSourceOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--type <type>', 'what the links lead to (default: files and web pages)').choices(types),
    )
    .option('--login <name>', 'login of a portal');

/** Adds the types and credentials that are missing, and writes the descriptors as JSON. */
export async function completeSources(
  sources: readonly NamedSource[],
  options: SourceOptions,
): Promise<string[]> {
  const answers = new Map<string, string>();
  /** One wiki or portal is asked for once. */
  const answer = async (question: string, variable: string | undefined, hidden: boolean): Promise<string> => {
    const given = (variable && processEnvironment()[variable]) || answers.get(question);
    const text = given ?? (await ask(`${question}: `, { hidden }));
    if (!text)
      throw new StartupError(`${question} is missing${variable ? `: set ${variable}` : ': use --login'}`);
    answers.set(question, text);
    return text;
  };
  const complete: string[] = [];
  for (const source of sources) {
    const { url } = source;
    const type = source.type ?? options.type ?? driveOf(url) ?? 'direct_link';
    const descriptor: NamedSource = { ...source, type };
    const host = URL.parse(url)?.host ?? url;
    if (type === 'wiki') {
      descriptor.api_key ??= await answer(`token for ${host}`, 'ROUNDHOUSE_SOURCE_TOKEN', true);
    }
    if (type === 'portal') {
      descriptor.login ??= options.login ?? (await answer(`login for ${host}`, undefined, false));
      descriptor.password ??= await answer(`password for ${host}`, 'ROUNDHOUSE_SOURCE_PASSWORD', true);
    }
    complete.push(JSON.stringify(descriptor));
  }
  return complete;
}

/** The drives are known by their hosts. */
function driveOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname ?? '';
  if (host === 'drive.google.com' || host === 'docs.google.com') return 'drive_a';
  return /^(yadi\.sk|disk\.(360\.)?yandex\.[a-z.]+)$/.test(host) ? 'drive_b' : undefined;
}
