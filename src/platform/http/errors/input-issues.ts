import type { z } from 'zod';
import type { InputIssue } from '../../../contracts/problems.ts';

/** Fastify's names for the parts of a request, translated to FastAPI's. */
const places: Record<string, string> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** A reader needs the first few; a body of a million wrong items has a million. */
const mostIssues = 20;
/** Keys and messages can quote the input. */
const longestWord = 200;
const longestPath = 32;

/** Translates zod's issues to FastAPI's format, for clients written for FastAPI servers. */
export function toInputIssues(
  issues: readonly z.core.$ZodIssue[],
  part: string,
  data: unknown,
): InputIssue[] {
  const place = places[part] ?? part;
  return issues
    .slice(0, mostIssues)
    .flatMap((issue) => translate(issue, place, data))
    .slice(0, mostIssues)
    .map(({ loc, msg, type }) => ({
      loc: loc.slice(0, longestPath).map((key) => (typeof key === 'string' ? shortened(key) : key)),
      msg: shortened(msg),
      type,
    }));
}

const shortened = (text: string) => (text.length > longestWord ? `${text.slice(0, longestWord)}…` : text);

function translate(issue: z.core.$ZodIssue, place: string, data: unknown): InputIssue[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  const loc = [place, ...path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mostIssues).map((key) => ({
      loc: [...loc, key],
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    }));
  }
  if (isAbsent(valueAt(data, path), path) && absenceCodes.has(issue.code)) {
    return [{ loc, msg: 'Field required', type: 'missing' }];
  }
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue.errors);
    const inner = branch
      .slice(0, mostIssues)
      .map((nested) => ({ ...nested, path: [...issue.path, ...nested.path] }) as z.core.$ZodIssue);
    return inner.length > 0
      ? inner.flatMap((nested) => translate(nested, place, data))
      : [{ loc, ...words(issue) }];
  }
  return [{ loc, ...words(issue) }];
}

/** Codes that zod uses for a missing value, depending on the expected type. */
const absenceCodes = new Set(['invalid_type', 'invalid_union', 'invalid_value']);

/** Fastify passes a missing body as null. */
const isAbsent = (value: unknown, path: readonly unknown[]) =>
  value === undefined || (value === null && path.length === 0);

/** Picks the union branch whose issues are nested deepest: the one the caller most likely meant. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  // Millions of issues are too many for the arguments of Math.max.
  const depth = (branch: readonly z.core.$ZodIssue[]) =>
    branch.reduce((deepest, issue) => Math.max(deepest, issue.path.length), 0);
  return [...branches].sort((a, b) => depth(b) - depth(a))[0] ?? [];
}

function words(issue: z.core.$ZodIssue): { msg: string; type: string } {
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? { msg: issue.message, type: `${issue.expected}_type` };
    case 'invalid_value':
      return {
        msg: `Input should be ${alternatives(issue.values.map(String))}`,
        type: issue.values.length > 1 ? 'enum' : 'literal_error',
      };
    case 'too_small':
      return bounds(
        issue.origin,
        Number(issue.minimum),
        'least',
        'short',
        issue.inclusive ? 'greater_than_equal' : 'greater_than',
      );
    case 'too_big':
      return bounds(
        issue.origin,
        Number(issue.maximum),
        'most',
        'long',
        issue.inclusive ? 'less_than_equal' : 'less_than',
      );
    case 'invalid_format':
      // A custom message of the schema is clearer than its pattern.
      return issue.pattern && issue.message.startsWith('Invalid')
        ? { msg: `String should match pattern '${issue.pattern}'`, type: 'string_pattern_mismatch' }
        : { msg: `Value error, ${issue.message}`, type: 'value_error' };
    default:
      return { msg: `Value error, ${issue.message}`, type: 'value_error' };
  }
}

const types: Record<string, { msg: string; type: string }> = {
  string: { msg: 'Input should be a valid string', type: 'string_type' },
  number: { msg: 'Input should be a valid number', type: 'float_type' },
  int: { msg: 'Input should be a valid integer', type: 'int_type' },
  boolean: { msg: 'Input should be a valid boolean', type: 'bool_type' },
  array: { msg: 'Input should be a valid list', type: 'list_type' },
  object: {
    msg: 'Input should be a valid dictionary or object to extract fields from',
    type: 'model_attributes_type',
  },
  record: { msg: 'Input should be a valid dictionary', type: 'dict_type' },
  null: { msg: 'Input should be None', type: 'none_required' },
};

const comparisons: Record<string, string> = {
  greater_than_equal: 'greater than or equal to',
  greater_than: 'greater than',
  less_than_equal: 'less than or equal to',
  less_than: 'less than',
};

function bounds(origin: string, limit: number, side: 'least' | 'most', size: 'short' | 'long', type: string) {
  const plural = limit === 1 ? '' : 's';
  if (origin === 'string')
    return { msg: `String should have at ${side} ${limit} character${plural}`, type: `string_too_${size}` };
  if (origin === 'array')
    return {
      msg: `List should have at ${side} ${limit} item${plural} after validation`,
      type: `too_${size}`,
    };
  return { msg: `Input should be ${comparisons[type]} ${limit}`, type };
}

function alternatives(values: string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

function valueAt(data: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key],
    data,
  );
}
