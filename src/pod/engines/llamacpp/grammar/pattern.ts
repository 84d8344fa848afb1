import { literal, type Rules } from './rules.ts';
import { schemaProblem } from './schema-problem.ts';

const classes: Record<string, string> = { d: '0-9', w: 'a-zA-Z0-9_', s: ' ' };
const counts = /[*+?]|\{(\d+)(,(\d*))?\}/y;
const anyCharacter = '[^"\\\\\\x7F\\x00-\\x1F]';

/**
 * Longer patterns are rejected without parsing, as are patterns with more atoms after expanding their repetitions.
 */
const maxPatternLength = 1_000;
const maxCopies = 2_000;
/**
 * Limit for repetitions of more than one atom: each copy may end in many places, and llama.cpp follows all of them.
 */
const maxNestedCopies = 256;

/**
 * Converts a regular expression into a grammar for the contents of a JSON string. Rejects what a grammar can't
 * express.
 */
export function patternRule(rules: Rules, pattern: string, where: string): string {
  if (pattern.length > maxPatternLength)
    throw schemaProblem(where, `has a pattern of more than ${maxPatternLength} characters`);
  const { rule, size } = new PatternReader(pattern, where).read();
  rules.budget.spend('repetitions', size, where);
  return rule;
}

/** A part of a pattern: its rule, its number of atoms after expanding repetitions, and whether it may be empty. */
interface Part {
  rule: string;
  size: number;
  nullable: boolean;
}

class PatternReader {
  readonly #pattern: string;
  readonly #where: string;
  #position = 0;

  constructor(pattern: string, where: string) {
    this.#pattern = pattern;
    this.#where = where;
    try {
      new RegExp(pattern, 'u');
    } catch {
      throw schemaProblem(where, 'has a pattern that is not a valid regular expression');
    }
  }

  read(): Part {
    const anchoredStart = this.#pattern.startsWith('^');
    const anchoredEnd = /(?<!\\)(?:\\\\)*\$$/.test(this.#pattern);
    const body = this.#alternatives();
    if (this.#position < this.#pattern.length) throw this.#reject(`'${this.#peek()}'`);
    const rule = `${anchoredStart ? '' : 'character* '}(${body.rule})${anchoredEnd ? '' : ' character*'}`;
    return { ...body, rule };
  }

  #alternatives(): Part {
    const branches = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#position++;
      branches.push(this.#sequence());
    }
    return {
      rule: branches.map(({ rule }) => rule).join(' | '),
      size: branches.reduce((sum, { size }) => sum + size, 0),
      nullable: branches.some(({ nullable }) => nullable),
    };
  }

  #sequence(): Part {
    const items: Part[] = [];
    while (this.#position < this.#pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      if (this.#peek() === '^' && this.#position === 0) this.#position++;
      else if (this.#peek() === '$' && this.#position === this.#pattern.length - 1) this.#position++;
      else items.push(this.#repeated(this.#atom()));
    }
    return {
      rule: items.length > 0 ? items.map(({ rule }) => rule).join(' ') : '""',
      size: items.reduce((sum, { size }) => sum + size, 0),
      nullable: items.every(({ nullable }) => nullable),
    };
  }

  #atom(): Part {
    const character = this.#take();
    if (character === '(') return this.#group();
    return { rule: this.#character(character), size: 1, nullable: false };
  }

  #character(character: string): string {
    if (character === '[') return this.#set();
    if (character === '.') return anyCharacter;
    if (character === '\\') return this.#escape();
    if ('^$*+?{'.includes(character)) throw this.#reject(`a misplaced '${character}'`);
    return literal(jsonInside(character));
  }

  /**
   * Nested repetitions multiply, and repeating a part that may be empty is ambiguous in many ways. Both are rejected
   * if the grammar would become too large.
   */
  #repeated(atom: Part): Part {
    const { text, least, most } = this.#quantifier();
    if (text === '') return atom;
    if (atom.nullable && text !== '?') throw this.#reject('a repetition of a part that may be empty');
    const copies = Math.max(1, Number.isFinite(most) ? most : least);
    const size = atom.size * copies;
    const limit = atom.size > 1 && copies > 1 ? maxNestedCopies : maxCopies;
    if (size > limit) throw this.#reject(`repetitions that add up to more than ${limit}`);
    return { rule: atom.rule + text, size, nullable: least === 0 };
  }

  #group(): Part {
    if (this.#peek() === '?') {
      if (this.#pattern.startsWith('?:', this.#position)) this.#position += 2;
      else if (/^\?<[a-zA-Z]/.test(this.#pattern.slice(this.#position, this.#position + 3)))
        this.#position = this.#pattern.indexOf('>', this.#position) + 1;
      else throw this.#reject('a lookahead or lookbehind');
    }
    const body = this.#alternatives();
    this.#position++;
    return { ...body, rule: `(${body.rule})` };
  }

  #escape(): string {
    const character = this.#take();
    if (classes[character]) return `[${classes[character]}]`;
    if (character === 'D') return '[^0-9"\\\\\\x7F\\x00-\\x1F]';
    if (character === 'W') return '[^a-zA-Z0-9_"\\\\\\x7F\\x00-\\x1F]';
    if (character === 'S') return '[^ "\\\\\\x7F\\x00-\\x1F]';
    if (/[a-zA-Z0-9]/.test(character)) throw this.#reject(`'\\${character}'`);
    return literal(jsonInside(character));
  }

  #set(): string {
    const negated = this.#peek() === '^';
    if (negated) this.#position++;
    let body = '';
    for (let character = this.#take(); character !== ']'; character = this.#take()) {
      if (character !== '\\') body += setMember(character, this.#reject.bind(this));
      else {
        const escaped = this.#take();
        if (classes[escaped]) body += classes[escaped];
        else if (/[a-zA-Z0-9]/.test(escaped)) throw this.#reject(`'\\${escaped}'`);
        else body += setMember(escaped, this.#reject.bind(this), true);
      }
    }
    return negated ? `[^${body}"\\\\\\x7F\\x00-\\x1F]` : `[${body}]`;
  }

  #quantifier(): { text: string; least: number; most: number } {
    counts.lastIndex = this.#position;
    const [text = '', low = '0', comma, high = ''] = counts.exec(this.#pattern) ?? [];
    this.#position += text.length;
    // Greedy and lazy repetitions match the same texts.
    if (text !== '' && this.#peek() === '?') this.#position++;
    const infinite = Number.POSITIVE_INFINITY;
    if (text === '?') return { text, least: 0, most: 1 };
    if (text === '*' || text === '+') return { text, least: text === '*' ? 0 : 1, most: infinite };
    const least = Number(low);
    const most = comma === undefined ? least : high === '' ? infinite : Number(high);
    return { text, least, most };
  }

  #peek(): string {
    return this.#pattern.charAt(this.#position);
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#position) ?? 0);
    this.#position += character.length;
    return character;
  }

  #reject(what: string) {
    return schemaProblem(this.#where, `has a pattern with ${what}, which can't be enforced`);
  }
}

const jsonInside = (text: string): string => JSON.stringify(text).slice(1, -1);

function setMember(character: string, reject: (what: string) => Error, escaped = false): string {
  if (character === '"' || character === '\\') throw reject('a quote or backslash in a set');
  if (escaped && '-]^['.includes(character))
    return `\\${character === '-' ? 'x2D' : character === '^' ? 'x5E' : character}`;
  if (character === '[') return '\\[';
  return character;
}
