import type { Schema } from './merge-schemas.ts';
import { schemaProblem } from './schema-problem.ts';

const isCount = (value: unknown) =>
  typeof value === 'number' && value >= 0 && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY);
const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isList = (value: unknown) => Array.isArray(value);
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);

/** The required type of each supported keyword. A wrong type would otherwise fail deep inside the conversion. */
const kinds: [keyof Schema, string, (value: unknown) => boolean][] = [
  ['$ref', 'a string', isText],
  ['type', 'a string or a list of strings', (value) => isText(value) || isTextList(value)],
  ['properties', 'an object', isObject],
  ['required', 'a list of strings', isTextList],
  ['prefixItems', 'a list of schemas', isList],
  ['enum', 'a list of values', isList],
  ['anyOf', 'a list of schemas', isList],
  ['oneOf', 'a list of schemas', isList],
  ['allOf', 'a list of schemas', isList],
  ['pattern', 'a string', isText],
  ['format', 'a string', isText],
  ['minItems', 'a count', isCount],
  ['maxItems', 'a count', isCount],
  ['minLength', 'a count', isCount],
  ['maxLength', 'a count', isCount],
];

export function checkKeywords(schema: Schema, where: string): void {
  for (const [key, kind, isValid] of kinds) {
    const value = schema[key];
    if (value !== undefined && !isValid(value))
      throw schemaProblem(where, `has a '${key}' that is not ${kind}`);
  }
}
