import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** A repeatable `--url`: a link, a source descriptor as JSON, or `@file` with one, which keeps secrets off the command line. */
export function source(text: string, before: string[] = []): string[] {
  return [...before, descriptorIn(text)];
}

function descriptorIn(text: string): string {
  if (/^https?:\/\//.test(text)) return JSON.stringify({ type: 'direct_link', url: text });
  const json = text.startsWith('@') ? contentOf(text.slice(1)) : text;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && 'type' in value) return JSON.stringify(value);
  } catch {
    // The text may contain a password, so the message does not repeat it.
  }
  throw new InvalidArgumentError(
    'expected a link, a source descriptor such as {"type":"wiki","url":"…","api_key":"…"}, or @file with one',
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
