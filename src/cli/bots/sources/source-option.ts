import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** A source as it was named: a descriptor that may lack its type and credentials. */
export type NamedSource = { url: string } & Record<string, unknown>;

/** A repeatable link, source descriptor as JSON, or `@file` with one, which keeps secrets off the command line. */
export function source(text: string, before: NamedSource[] = []): NamedSource[] {
  return [...before, descriptorIn(text)];
}

function descriptorIn(text: string): NamedSource {
  if (/^https?:\/\//.test(text)) return { url: text };
  const json = text.startsWith('@') ? contentOf(text.slice(1)) : text;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string') {
      return value as NamedSource;
    }
  } catch {
    // The text may contain a password, so the message does not repeat it.
  }
  throw new InvalidArgumentError(
    'expected a link, a source descriptor such as {"type":"wiki","url":"…"}, or @file with one',
  );
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(
      `the file ${file} can't be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}
