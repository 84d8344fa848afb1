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
  const properties = Object.entries(schema.properties ?? {});
  const unnamed = [...required].filter((name) => !(name in (schema.properties ?? {})));
  const additional = schema.additionalProperties ?? (properties.length === 0 && unnamed.length === 0);
  if (unnamed.length > 0 && additional === false)
    throw schemaProblem(where, `requires '${unnamed[0]}', which it does not allow`);
  const members = [...properties, ...unnamed.map((name): [string, unknown] => [name, true])].map(
    ([name, value]) => ({
      required: required.has(name),
      rule: rules.add(
        `${literal(JSON.stringify(name))} ":" space ${reader.rule(value, `${where}/properties/${name}`)}`,
      ),
    }),
  );
  return `"{" space ${tail(reader, members, additional, true, where)} space "}"`;
}

interface Member {
  required: boolean;
  rule: string;
}

/** What may follow once the members before these are written; `first`: none of them was. */
function tail(
  reader: SchemaReader,
  members: Member[],
  additional: unknown,
  first: boolean,
  where: string,
): string {
  const [member, ...rest] = members;
  const comma = first ? '' : '"," space ';
  if (!member) return others(reader, additional, first, where);
  const after = tail(reader, rest, additional, false, where);
  const withIt = `${comma}${member.rule} ${after}`.trimEnd();
  if (member.required) return reader.rules.add(withIt);
  const withoutIt = first ? tail(reader, rest, additional, true, where) : after;
  return reader.rules.add(`${withIt} | ${withoutIt || '""'}`);
}

function others(reader: SchemaReader, additional: unknown, first: boolean, where: string): string {
  if (additional === false || additional === undefined) return '';
  const { rules } = reader;
  const value =
    additional === true ? rules.json('value') : reader.rule(additional, `${where}/additionalProperties`);
  const member = rules.add(`${rules.json('string')} ":" space ${value}`);
  return first ? `(${member} ("," space ${member})*)?` : `("," space ${member})*`;
}
