import type { SchemaReader } from './json-schema.ts';
import type { Schema } from './merge-schemas.ts';
import { literal } from './rules.ts';
import { schemaProblem } from './schema-problem.ts';

/**
 * An object whose members come in the order in which the schema names them, the optional ones there or not. What a
 * schema does not name is written only where it is asked for (`additionalProperties`) or names nothing at all.
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
    throw schemaProblem(where, `requires '${unnamed[0]}', which it does not allow`);
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

/** From the last member to the first: what may follow where one before was written, and where none was. */
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
