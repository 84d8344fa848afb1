import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a page: commands to run, or the content of a file that the reader is told to write. */
export interface Step {
  kind: 'run' | 'file';
  text: string;
  /** Of a file: where it is written. */
  path: string;
  /** The machine on which the reader does this; each has its own folder. */
  machine: string;
  /** Of a command that keeps running: what it prints when the reader goes on. */
  until: string | undefined;
  /** What still runs on the machine is stopped first. */
  restart: boolean;
}

const folder = join(import.meta.dirname, '../../docs/guides');
const block = /^<!-- (run|file)(?:: (.*?))? -->\n```\w*\n([\s\S]*?)^```$/gm;

/**
 * The steps of a page of `docs/guides`. A comment before a block marks it as one, invisibly to readers:
 * `<!-- run -->`, `<!-- run: until=is ready; machine=second -->`, `<!-- file: path=roundhouse.yaml -->`. With a heading
 * (`page.md#Heading`) only the steps below it.
 */
export function readGuide(address: string, substitutions: readonly [string, string][]): Step[] {
  const [page = '', heading] = address.split('#');
  const text = section(readFileSync(join(folder, page), 'utf8'), heading);
  const steps = [...text.matchAll(block)].map(([, kind, options = '', content = '']): Step => {
    const given = new Map(options.split('; ').map((option) => option.split('=', 2) as [string, string]));
    return {
      kind: kind as Step['kind'],
      text: content,
      path: given.get('path') ?? '',
      machine: given.get('machine') ?? 'first',
      until: given.get('until'),
      restart: given.has('restart'),
    };
  });
  const marked = text.match(/^<!-- (run|file)\b/gm)?.length ?? 0;
  if (steps.length !== marked) throw new Error(`${page}: a marker is not followed by a block`);
  return substitutions.reduce((changed, [from, to]) => substitute(page, changed, from, to), steps);
}

function section(text: string, heading: string | undefined): string {
  if (heading === undefined) return text;
  const found = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (found === undefined) throw new Error(`there is no heading '${heading}'`);
  return found;
}

/** A substitution that matches nothing belongs to a page that has changed. */
function substitute(page: string, steps: Step[], from: string, to: string): Step[] {
  if (!steps.some(({ text }) => text.includes(from))) throw new Error(`${page} no longer contains '${from}'`);
  return steps.map((step) => ({ ...step, text: step.text.replaceAll(from, to) }));
}
