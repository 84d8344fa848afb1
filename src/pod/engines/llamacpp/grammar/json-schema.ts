import { checkKeywords } from './check-keywords.ts';
import { choiceRule } from './choice-rule.ts';
import { mergeSchemas, type Schema } from './merge-schemas.ts';
import { integerRange, numberRange } from './numbers/number-range.ts';
import { objectRule } from './object-rule.ts';
import { literal, type Rules, repeated } from './rules.ts';
import { schemaProblem } from './schema-problem.ts';
import { stringRule } from './string-rule.ts';

/**
 * Returns a rule that matches exactly the JSON values that fit a schema. Throws BadRequest if the schema is invalid
 * or can't be enforced; with `lenient`, keywords that can't be enforced are ignored.
 */
export function schemaRule(rules: Rules, schema: unknown, options: { lenient?: boolean } = {}): string {
  try {
    return new SchemaReader(rules, schema, options.lenient ?? false).rule(schema, '#');
  } catch (error) {
    if (error instanceof RangeError) throw schemaProblem('#', 'is infinitely recursive or too deeply nested');
    throw error;
  }
}

/** Constraints that a grammar can't express. */
const unenforceable = [
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'uniqueItems',
  'multipleOf',
];

const maxCount = 2000;
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export class SchemaReader {
  #depth = 0;
  readonly rules: Rules;
  readonly #root: unknown;
  readonly #lenient: boolean;
  readonly #references = new Map<string, string>();

  constructor(rules: Rules, root: unknown, lenient: boolean) {
    this.rules = rules;
    this.#root = root;
    this.#lenient = lenient;
  }

  rule(schema: unknown, where: string): string {
    if (schema === true) return this.rules.json('value');
    if (schema === false) throw schemaProblem(where, 'is false and allows nothing');
    if (schema === null || typeof schema !== 'object' || Array.isArray(schema))
      throw schemaProblem(where, 'is neither an object nor a boolean');
    this.#depth++;
    this.rules.budget.allow('levels of nesting', this.#depth, where);
    const name = this.rules.add(this.#body(schema as Schema, where));
    this.#depth--;
    return name;
  }

  /** Serialises a name or constant as JSON, and counts it against the grammar's limits. */
  text(value: unknown, where: string): string {
    const text = JSON.stringify(value);
    this.rules.budget.spend('characters in names, constants and enum values', text.length, where);
    return text;
  }

  #body(schema: Schema, where: string): string {
    this.rules.budget.spend('schemas', 1, where);
    checkKeywords(schema, where);
    this.#rejectUnenforceable(schema, where);
    if (schema.$ref !== undefined) return this.#reference(schema, where);
    if (schema.allOf)
      return this.#body(mergeSchemas(without(schema, 'allOf'), this.#resolveAll(schema.allOf, where)), where);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return this.#choices(schema, choices, where);
    if (schema.const !== undefined) return literal(this.text(schema.const, where));
    if (schema.enum) return this.#enumeration(schema.enum, where);
    if (Array.isArray(schema.type)) {
      if (schema.type.length === 0) throw schemaProblem(where, 'has an empty list of types');
      this.rules.budget.spend('alternatives', schema.type.length, where);
      return schema.type.map((type) => this.rule({ ...schema, type }, where)).join(' | ');
    }
    return this.#typed(schema, schema.type ?? impliedType(schema), where);
  }

  #typed(schema: Schema, type: string | undefined, where: string): string {
    const bounded = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].some(
      (key) => key in schema,
    );
    if (type === undefined) return this.rules.json('value');
    if (type === 'object') return objectRule(this, schema, where);
    if (type === 'array') return this.#array(schema, where);
    if (type === 'string') return stringRule(this.rules, schema, where);
    if (type === 'integer') return bounded ? integerRange(schema, where) : this.rules.json('integer');
    if (type === 'number') return bounded ? numberRange(schema, where) : this.rules.json('number');
    if (type === 'boolean' || type === 'null') return this.rules.json(type);
    throw schemaProblem(where, `has the unknown type '${type}'; use one of ${types.join(', ')}`);
  }

  #choices(schema: Schema, choices: unknown, where: string): string {
    if (!Array.isArray(choices) || choices.length === 0)
      throw schemaProblem(where, 'has an empty list of alternatives');
    this.rules.budget.spend('alternatives', choices.length, where);
    const base = without(without(schema, 'anyOf'), 'oneOf');
    const shared = Object.keys(base).some((key) => !annotations.has(key));
    return choices
      .map((choice, index) => {
        const at = `${where}/${schema.anyOf ? 'anyOf' : 'oneOf'}/${index}`;
        return this.rule(shared ? mergeSchemas(base, this.#resolveAll([choice], at)) : choice, at);
      })
      .join(' | ');
  }

  #enumeration(values: unknown, where: string): string {
    if (!Array.isArray(values) || values.length === 0) throw schemaProblem(where, 'has an empty enum');
    this.rules.budget.spend('enum values', values.length, where);
    return choiceRule(
      this.rules,
      values.map((value) => this.text(value, where)),
    );
  }

  #array(schema: Schema, where: string): string {
    this.rules.json('space');
    const separator = '"," space';
    const first = (schema.prefixItems ?? []).map((item, index) =>
      this.rule(item, `${where}/prefixItems/${index}`),
    );
    const least = schema.minItems ?? 0;
    const most = schema.maxItems !== undefined && schema.maxItems <= maxCount ? schema.maxItems : undefined;
    if (least > maxCount || (most !== undefined && most < least))
      throw schemaProblem(where, `has an unsupported item count: ${least} to ${most ?? 'unlimited'}`);
    this.rules.budget.spend('repetitions', most ?? least, where);
    if (first.length > 0) {
      const rest =
        schema.items === undefined || schema.items === false
          ? ''
          : `(${separator} ${this.rule(schema.items, `${where}/items`)}){${Math.max(0, least - first.length)},${most === undefined ? '' : Math.max(0, most - first.length)}}`;
      return `"[" space ${first.join(` ${separator} `)} ${rest} space "]"`;
    }
    const item =
      schema.items === undefined ? this.rules.json('value') : this.rule(schema.items, `${where}/items`);
    return `"[" space ${repeated(item, separator, least, most)} space "]"`;
  }

  #reference(schema: Schema, where: string): string {
    const reference = schema.$ref as string;
    const siblings = Object.keys(schema).filter((key) => key !== '$ref' && !annotations.has(key));
    if (siblings.length > 0)
      return this.#body(
        mergeSchemas(without(schema, '$ref'), this.#resolveAll([{ $ref: reference }], where)),
        where,
      );
    const known = this.#references.get(reference);
    if (known) return known;
    const name = this.rules.reserve();
    this.#references.set(reference, name);
    this.rules.define(name, this.rule(this.#resolve(reference, where), reference));
    return name;
  }

  #resolveAll(schemas: unknown, where: string): Schema[] {
    if (!Array.isArray(schemas)) throw schemaProblem(where, 'must contain a list of schemas');
    return schemas.map((schema) => {
      this.rules.budget.spend('schemas', 1, where);
      if (schema === null || typeof schema !== 'object' || Array.isArray(schema))
        throw schemaProblem(where, 'combines something that is not an object');
      const reference = (schema as Schema).$ref;
      const found = reference === undefined ? (schema as Schema) : this.#resolve(reference, where);
      checkKeywords(found, where);
      this.rules.budget.spend('properties', Object.keys(found.properties ?? {}).length, where);
      return found;
    });
  }

  #resolve(reference: string, where: string): Schema {
    if (typeof reference !== 'string' || !reference.startsWith('#'))
      throw schemaProblem(where, `refers to '${reference}', which is outside the schema`);
    let found: unknown = this.#root;
    for (const step of reference.slice(1).split('/').filter(Boolean)) {
      const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const holds = found !== null && typeof found === 'object' && Object.hasOwn(found, key);
      found = holds ? (found as Record<string, unknown>)[key] : undefined;
    }
    if (found === null || typeof found !== 'object')
      throw schemaProblem(where, `refers to '${reference}', which does not exist`);
    return found as Schema;
  }

  #rejectUnenforceable(schema: Schema, where: string): void {
    if (this.#lenient) return;
    const found = unenforceable.find((key) => key in schema && schema[key] !== false);
    if (found) throw schemaProblem(where, `uses '${found}', which can't be enforced`);
  }
}

const annotations = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
]);

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function without(schema: Schema, key: string): Schema {
  const { [key]: _left, ...rest } = schema;
  return rest;
}

function impliedType(schema: Schema): string | undefined {
  if (schema.properties || schema.required || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if (schema.pattern !== undefined || schema.minLength !== undefined || schema.maxLength !== undefined)
    return 'string';
  if (schema.minimum !== undefined || schema.maximum !== undefined) return 'number';
  return undefined;
}
