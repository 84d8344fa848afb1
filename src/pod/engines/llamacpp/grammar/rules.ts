import { GrammarBudget } from './grammar-budget.ts';

/** Collects the rules of a grammar in llama.cpp's notation (GBNF). */
export class Rules {
  readonly budget = new GrammarBudget();
  readonly #rules = new Map<string, string>();
  readonly #byBody = new Map<string, string>();

  /** Adds a rule with this body, or reuses an existing one; returns its name. */
  add(body: string): string {
    const known = this.#byBody.get(body);
    if (known) return known;
    const name = this.reserve();
    this.define(name, body);
    this.#byBody.set(body, name);
    return name;
  }

  /** Reserves a name for a recursive rule; `define` it later. */
  reserve(): string {
    const name = `rule-${this.#rules.size}`;
    this.#rules.set(name, '');
    return name;
  }

  define(name: string, body: string): void {
    this.#rules.set(name, body);
  }

  /** Adds one of the predefined JSON rules and its dependencies. */
  json(name: JsonRule): string {
    if (!this.#rules.has(name)) {
      const { body, needs } = jsonRules[name];
      this.#rules.set(name, body);
      for (const needed of needs) this.json(needed);
    }
    return name;
  }

  toGrammar(root: string): string {
    const lines = [...this.#rules].map(([name, body]) => `${name} ::= ${body}`);
    return `root ::= ${root}\n${lines.join('\n')}\n`;
  }
}

export type JsonRule =
  | 'space'
  | 'character'
  | 'string'
  | 'digits'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'null'
  | 'value'
  | 'member'
  | 'object'
  | 'array';

interface Definition {
  body: string;
  needs: JsonRule[];
}

// White space and digits are limited, because a small model might otherwise write them until it runs out of tokens.
const jsonRules: Record<JsonRule, Definition> = {
  space: { body: '| " " | "\\n"{1,2} [ \\t]{0,20}', needs: [] },
  character: {
    body: '[^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\bfnrt/] | "u" [0-9a-fA-F]{4})',
    needs: [],
  },
  string: { body: '"\\"" character* "\\""', needs: ['character'] },
  digits: { body: '"0" | [1-9] [0-9]{0,15}', needs: [] },
  integer: { body: '"-"? digits', needs: ['digits'] },
  number: { body: '"-"? digits ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?', needs: ['digits'] },
  boolean: { body: '"true" | "false"', needs: [] },
  null: { body: '"null"', needs: [] },
  value: {
    body: 'object | array | string | number | boolean | null',
    needs: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  },
  member: { body: 'string ":" space value', needs: ['string', 'space', 'value'] },
  object: { body: '"{" space (member ("," space member)* space)? "}"', needs: ['space', 'member'] },
  array: { body: '"[" space (value ("," space value)* space)? "]"', needs: ['space', 'value'] },
};

/** Quotes a text as a GBNF literal. */
export function literal(text: string): string {
  const escaped = Array.from(text, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x20 && code !== 0x7f) return character;
    return `\\x${code.toString(16).padStart(2, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

/** Repeats `item` from `least` to `most` times with `separator` in between. */
export function repeated(item: string, separator: string, least: number, most: number | undefined): string {
  if (most === 0) return '';
  const upTo = most === undefined ? '' : String(most - 1);
  const more = separator === '' ? item : `(${separator} ${item})`;
  if (least === 0) return most === 1 ? `(${item})?` : `(${item} ${more}{0,${upTo}})?`;
  return `${item} ${more}{${least - 1},${upTo}}`;
}
