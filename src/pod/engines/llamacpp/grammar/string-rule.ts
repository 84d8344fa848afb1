import { patternRule } from './pattern.ts';
import type { Rules } from './rules.ts';
import { schemaProblem } from './schema-problem.ts';

export interface StringSchema {
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
}

const date = '[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | [1-2] [0-9] | "3" [0-1])';
const time =
  '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})? ("Z" | [+-] ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9])';
const byte = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9] [0-9] | [0-9])';
const label = '[a-zA-Z0-9] ([a-zA-Z0-9-]{0,30} [a-zA-Z0-9])?';

/** Formats that are enforced. Others are only annotations, as in JSON Schema. */
const formats = new Map(
  Object.entries({
    date,
    time,
    'date-time': `${date} "T" ${time}`,
    duration: '"P" ([0-9]{1,6} [YMWD]){0,3} ("T" ([0-9]{1,6} [HMS]){1,3})?',
    uuid: '[0-9a-fA-F]{8} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{12}',
    email: `[a-zA-Z0-9_+-] [a-zA-Z0-9_.+-]{0,40} "@" ${label} ("." ${label}){1,3}`,
    hostname: `${label} ("." ${label}){0,4}`,
    ipv4: `${byte} "." ${byte} "." ${byte} "." ${byte}`,
    uri: '[a-z] [a-z0-9+.-]{1,10} "://" [a-zA-Z0-9._~:/?#@!$&\'()*+,;=%-]{1,200}',
  }),
);

/** llama.cpp rejects larger repetition counts. */
const maxCount = 2000;

export function stringRule(rules: Rules, schema: StringSchema, where: string): string {
  rules.json('character');
  if (schema.pattern !== undefined) return `"\\"" ${patternRule(rules, schema.pattern, where)} "\\""`;
  const format = schema.format === undefined ? undefined : formats.get(schema.format);
  if (format) return `"\\"" ${format} "\\""`;
  const least = Math.min(schema.minLength ?? 0, maxCount);
  const most = schema.maxLength !== undefined && schema.maxLength <= maxCount ? schema.maxLength : undefined;
  if (most !== undefined && most < least) throw schemaProblem(where, 'has a maxLength below its minLength');
  if (least === 0 && most === undefined) return rules.json('string');
  rules.budget.spend('repetitions', most ?? least, where);
  return `"\\"" character{${least},${most ?? ''}} "\\""`;
}
