import type { Draft } from '../../drafts/draft.ts';
import { tableDraft } from '../../drafts/table-draft.ts';
import { classifyText } from '../../text/classify-text.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';

const deepest = 200;
const mostTableCells = 50_000;

/**
 * A heading per key that holds a structure, `key: value` per simple field, a table per array of alike objects. Lines of
 * JSON are read as an array.
 */
export async function* readJson(input: FormatInput): AsyncGenerator<Draft> {
  const text = (await readText(input)).trim();
  refuseDeep(text);
  yield* valueDrafts(parsed(text), undefined, 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      if (lines.length < 2) throw error;
      return lines.map((line) => JSON.parse(line));
    } catch {
      throw new Unreadable(
        'invalid',
        `The file is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
      );
    }
  }
}

/** Counts brackets before parsing: a million levels would take all of the memory. */
function refuseDeep(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 92) at++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      if (++depth > deepest)
        throw new Unreadable('invalid', `The JSON is nested more than ${deepest} levels deep.`);
    } else if (code === 93 || code === 125) depth--;
  }
}

function* valueDrafts(value: unknown, key: string | undefined, depth: number): Generator<Draft> {
  if (value === null || typeof value !== 'object') {
    const text = key === undefined ? String(value) : `${key}: ${value}`;
    if (value !== null && value !== '')
      yield { kind: key === undefined ? classifyText(text) : 'NarrativeText', text };
    return;
  }
  const inner = key === undefined ? depth : depth + 1;
  if (key !== undefined) yield { kind: 'Title', text: key, depth };
  if (!Array.isArray(value)) {
    for (const [name, field] of Object.entries(value)) yield* valueDrafts(field, name, inner);
    return;
  }
  const table = tableOf(value);
  if (table) yield table;
  else if (value.every(isSimple)) {
    for (const item of value)
      if (item !== null && item !== '') yield { kind: 'ListItem', text: String(item), depth: 0 };
  } else for (const item of value) yield* valueDrafts(item, undefined, inner);
}

const isSimple = (value: unknown) => value === null || typeof value !== 'object';

function tableOf(items: unknown[]): Draft | undefined {
  if (items.length < 2) return undefined;
  const columns = new Set<string>();
  for (const item of items) {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return undefined;
    if (!Object.values(item).every(isSimple)) return undefined;
    for (const name of Object.keys(item)) columns.add(name);
    if (columns.size * items.length > mostTableCells) return undefined;
  }
  const names = [...columns];
  const rows = items.map((item) =>
    names.map((name) => ({
      text: Object.hasOwn(item as object, name) ? shown((item as Record<string, unknown>)[name]) : '',
    })),
  );
  return tableDraft([names.map((text) => ({ text })), ...rows], 1);
}

const shown = (value: unknown) => (value === null ? '' : String(value));
