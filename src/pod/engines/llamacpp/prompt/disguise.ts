import { BadRequest } from '../../../../contracts/problems.ts';

/** A piece of a prompt. In a `literal` piece, no text is read as a control token. */
export interface TextPart {
  text: string;
  literal: boolean;
}

export interface Disguised<Value> {
  /** The value, with each control text in its strings replaced by a character that occurs nowhere else in it. */
  value: Value;
  /** Splits a text rendered from the value. `literal` parts are control texts that must remain plain text. */
  split(text: string): TextPart[];
}

const privateUse = { first: 0xe000, last: 0xf8ff };

/**
 * Replaces control texts in user input while a template renders it, so that user input can't inject control tokens.
 */
export function disguise<Value>(value: Value, controlTexts: readonly string[]): Disguised<Value> {
  const whole = JSON.stringify(value) ?? '';
  const present = controlTexts.filter((text) => text !== '' && whole.includes(jsonInside(text)));
  if (present.length === 0) return { value, split: (text) => [{ text, literal: false }] };
  const placeholders = unusedCharacters(whole, present.length);
  const byControl = new Map(present.map((text, index) => [text, placeholders[index] as string]));
  const byPlaceholder = new Map(present.map((text, index) => [placeholders[index] as string, text]));
  const longestFirst = [...present].sort((a, b) => b.length - a.length);
  const controls = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  return {
    value: mapStrings(value, (text) =>
      text.replace(controls, (control) => byControl.get(control) ?? control),
    ),
    split: (text) =>
      text
        .split(new RegExp(`([${placeholders.join('')}])`))
        .filter((part) => part !== '')
        .map((part) => {
          const control = byPlaceholder.get(part);
          return control === undefined ? { text: part, literal: false } : { text: control, literal: true };
        }),
  };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const jsonInside = (text: string): string => JSON.stringify(text).slice(1, -1);

function unusedCharacters(text: string, count: number): string[] {
  const used = new Set(text.match(/[\ue000-\uf8ff]/g));
  const found: string[] = [];
  for (let code = privateUse.first; code <= privateUse.last && found.length < count; code++) {
    const character = String.fromCharCode(code);
    if (!used.has(character)) found.push(character);
  }
  if (found.length < count)
    throw new BadRequest('The messages contain control tokens and every private-use character.', {
      param: 'messages',
    });
  return found;
}

function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  const mapped = (item: unknown): unknown => {
    if (typeof item === 'string') return change(item);
    if (Array.isArray(item)) return item.map(mapped);
    if (item !== null && typeof item === 'object')
      return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, mapped(inner)]));
    return item;
  };
  return mapped(value) as Value;
}
