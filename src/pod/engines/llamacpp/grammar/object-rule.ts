import type { SchemaReader } from './json-schema.ts';
import type { Schema } from './merge-schemas.ts';
import { literal } from './rules.ts';
import { schemaProblem } from './schema-problem.ts';

/**
 * Rule for an object with members in the schema's order; optional ones may be omitted. Unlisted members are allowed
 * only with `additionalProperties`, or if the schema lists no members at all.
 */
export function objectRule(reader: SchemaReader, schema: Schema, where: string): string {
  const { rules } = reader;
  rules.json('space');
  const required = new Set(schema.required ?? []);
  const named = schema.properties ?? {};
  const unnamed = [...required].filter((name) => !Object.hasOwn(named, name));
  const properties = Object.entries(named);
  const count = properties.length + unnamed.length;
  rules.budget.spend('properties', count, where);
  rules.budget.allow('optional properties in one object', count - required.size, where);
  const additional = schema.additionalProperties ?? count === 0;
  if (unnamed.length > 0 && schema.additionalProperties === false)
    throw schemaProblem(where, `requires '${unnamed[0]}' but does not allow it`);
  const members = [...properties, ...unnamed.map((name): [string, unknown] => [name, true])].map(
    ([name, value]) => ({
      required: required.has(name),
      rule: rules.add(
        `${literal(reader.text(name, where))} ":" space ${reader.rule(value, `${where}/properties/${name}`)}`,
      ),
    }),
  );
  return `"{" space ${membersRule(reader, members, additional, where)} space "}"`;
}

interface Member {
  required: boolean;
  rule: string;
}

/**
 * Builds the rules from the last member to the first: what may follow if a member was written before, and if none
 * was.
 */
function membersRule(reader: SchemaReader, members: Member[], additional: unknown, where: string): string {
  const { rules } = reader;
  let { afterSome, afterNone } = others(reader, additional, where);
  for (const { required, rule } of members.toReversed()) {
    const some = `"," space ${rule} ${afterSome}`.trimEnd();
    const none = `${rule} ${afterSome}`.trimEnd();
    [afterSome, afterNone] = [
      rules.add(required ? some : `${some} | ${afterSome || '""'}`),
      rules.add(required ? none : `${none} | ${afterNone || '""'}`),
    ];
  }
  return afterNone;
}

function others(reader: SchemaReader, additional: unknown, where: string) {
  if (additional === false || additional === undefined) return { afterSome: '', afterNone: '' };
  const { rules } = reader;
  const value =
    additional === true ? rules.json('value') : reader.rule(additional, `${where}/additionalProperties`);
  const member = rules.add(`${rules.json('string')} ":" space ${value}`);
  return { afterSome: `("," space ${member})*`, afterNone: `(${member} ("," space ${member})*)?` };
}
