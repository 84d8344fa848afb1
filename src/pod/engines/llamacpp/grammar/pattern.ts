import { literal } from './rules.ts';
import { schemaProblem } from './schema-problem.ts';

const classes: Record<string, string> = { d: '0-9', w: 'a-zA-Z0-9_', s: ' ' };
const anyCharacter = '[^"\\\\\\x7F\\x00-\\x1F]';

/** A regular expression as a grammar of JSON string contents; what a grammar can't say is refused. */
export function patternRule(pattern: string, where: string): string {
  return new PatternReader(pattern, where).read();
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
      throw schemaProblem(where, 'holds a pattern that is no regular expression');
    }
  }

  read(): string {
    const anchoredStart = this.#pattern.startsWith('^');
    const anchoredEnd = /(^|[^\\])(\\\\)*\$$/.test(this.#pattern);
    const body = this.#alternatives();
    if (this.#position < this.#pattern.length) throw this.#refuse(`'${this.#peek()}'`);
    return `${anchoredStart ? '' : 'character* '}(${body})${anchoredEnd ? '' : ' character*'}`;
  }

  #alternatives(): string {
    const branches = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#position++;
      branches.push(this.#sequence());
    }
    return branches.join(' | ');
  }

  #sequence(): string {
    const items: string[] = [];
    while (this.#position < this.#pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      if (this.#peek() === '^' && this.#position === 0) this.#position++;
      else if (this.#peek() === '$' && this.#position === this.#pattern.length - 1) this.#position++;
      else items.push(this.#atom() + this.#quantifier());
    }
    return items.length > 0 ? items.join(' ') : '""';
  }

  #atom(): string {
    const character = this.#take();
    if (character === '(') return this.#group();
    if (character === '[') return this.#set();
    if (character === '.') return anyCharacter;
    if (character === '\\') return this.#escape();
    if ('^$*+?{'.includes(character)) throw this.#refuse(`'${character}' in this place`);
    return literal(jsonInside(character));
  }

  #group(): string {
    if (this.#peek() === '?') {
      if (this.#pattern.startsWith('?:', this.#position)) this.#position += 2;
      else if (/^\?<[a-zA-Z]/.test(this.#pattern.slice(this.#position)))
        this.#position = this.#pattern.indexOf('>', this.#position) + 1;
      else throw this.#refuse('looking ahead or behind');
    }
    const body = this.#alternatives();
    this.#position++;
    return `(${body})`;
  }

  #escape(): string {
    const character = this.#take();
    if (classes[character]) return `[${classes[character]}]`;
    if (character === 'D') return '[^0-9"\\\\\\x7F\\x00-\\x1F]';
    if (character === 'W') return '[^a-zA-Z0-9_"\\\\\\x7F\\x00-\\x1F]';
    if (character === 'S') return '[^ "\\\\\\x7F\\x00-\\x1F]';
    if (/[a-zA-Z0-9]/.test(character)) throw this.#refuse(`'\\${character}'`);
    return literal(jsonInside(character));
  }

  #set(): string {
    const negated = this.#peek() === '^';
    if (negated) this.#position++;
    let body = '';
    for (let character = this.#take(); character !== ']'; character = this.#take()) {
      if (character !== '\\') body += setMember(character, this.#refuse.bind(this));
      else {
        const escaped = this.#take();
        if (classes[escaped]) body += classes[escaped];
        else if (/[a-zA-Z0-9]/.test(escaped)) throw this.#refuse(`'\\${escaped}'`);
        else body += setMember(escaped, this.#refuse.bind(this), true);
      }
    }
    return negated ? `[^${body}"\\\\\\x7F\\x00-\\x1F]` : `[${body}]`;
  }

  #quantifier(): string {
    const braces = /^\{\d+(,\d*)?\}/.exec(this.#pattern.slice(this.#position))?.[0];
    const found = braces ?? ('*+?'.includes(this.#peek() || '_') ? this.#peek() : '');
    this.#position += found.length;
    // Whether a repetition is greedy makes no difference to what may be written.
    if (found !== '' && this.#peek() === '?') this.#position++;
    return found;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#position);
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#position) ?? 0);
    this.#position += character.length;
    return character;
  }

  #refuse(what: string) {
    return schemaProblem(this.#where, `holds a pattern with ${what}, which can't be enforced`);
  }
}

const jsonInside = (text: string): string => JSON.stringify(text).slice(1, -1);

function setMember(character: string, refuse: (what: string) => Error, escaped = false): string {
  if (character === '"' || character === '\\') throw refuse('a quote or backslash in a set');
  if (escaped && '-]^['.includes(character))
    return `\\${character === '-' ? 'x2D' : character === '^' ? 'x5E' : character}`;
  if (character === '[') return '\\[';
  return character;
}
