import type { Draft } from '../../drafts/draft.ts';
import { classifyParagraph } from '../../text/classify-text.ts';
import type { FormatInput } from '../format-input.ts';
import { readText } from '../read-text.ts';
import { rstText } from './rst-inline.ts';
import { gridTable, isGridBorder, isSimpleBorder, simpleTable } from './rst-table.ts';

const adornment = /^([!-/:-@[-`{-~])\1{2,}\s*$/;
const item = /^(\s*)(?:[-*+•]|\(?(?:\d{1,4}|[a-zA-Z]|#|[ivxlc]{1,6})[.)])\s+(?=\S)/;
const directive = /^\.\. +([\w:-]+)::\s*(.*)$/;
const codeDirectives = new Set(['code', 'code-block', 'sourcecode', 'parsed-literal', 'highlight', 'prompt']);
const silentDirectives = new Set([
  'toctree',
  'contents',
  'index',
  'raw',
  'meta',
  'include',
  'highlight',
  'default-role',
  'role',
]);

export async function* readRst(input: FormatInput): AsyncGenerator<Draft> {
  yield* rstDrafts(await readText(input));
}

export function rstDrafts(source: string): Draft[] {
  const lines = source
    .replace(/\t/g, '        ')
    .split('\n')
    .map((line) => line.trimEnd());
  return new RstReader(lines).read();
}

class RstReader {
  readonly #lines: string[];
  readonly #drafts: Draft[] = [];
  readonly #targets = new Map<string, string>();
  /** Adornments in order of their first use: that is their depth. */
  readonly #levels: string[] = [];
  #at = 0;

  constructor(lines: string[]) {
    this.#lines = lines;
    for (const line of lines) {
      const target = /^\.\. _`?([^:`]{1,200})`?: +(\S+)$/.exec(line);
      if (target) this.#targets.set((target[1] ?? '').toLowerCase(), target[2] ?? '');
    }
  }

  read(): Draft[] {
    while (this.#at < this.#lines.length) this.#block();
    return this.#drafts;
  }

  #line(offset = 0): string {
    return this.#lines[this.#at + offset] ?? '';
  }

  #block(): void {
    const line = this.#line();
    if (line.trim() === '') this.#at++;
    else if (
      adornment.test(line) &&
      this.#line(1).trim() !== '' &&
      this.#line(2).startsWith(line[0] ?? '') &&
      adornment.test(this.#line(2))
    ) {
      this.#title(this.#line(1), `over ${line[0]}`, 3);
    } else if (isGridBorder(line)) this.#table(gridTable, (it) => /^[+|]/.test(it));
    else if (isSimpleBorder(line)) this.#simpleTable();
    else if (
      adornment.test(this.#line(1)) &&
      !/^\s/.test(line) &&
      this.#line(1).length >= Math.min(line.length, 3)
    ) {
      this.#title(line, this.#line(1)[0] ?? '', 2);
    } else if (adornment.test(line)) this.#at++;
    else if (/^\.\.(?: |$)/.test(line)) this.#explicit(line);
    else if (item.test(line)) this.#item();
    else this.#paragraph();
  }

  #title(text: string, level: string, lines: number): void {
    if (!this.#levels.includes(level)) this.#levels.push(level);
    this.#push('Title', text.trim(), { depth: this.#levels.indexOf(level) });
    this.#at += lines;
  }

  #table(read: (lines: string[]) => Draft | undefined, belongs: (line: string) => boolean): void {
    const start = this.#at;
    while (this.#at < this.#lines.length && belongs(this.#line())) this.#at++;
    const draft = read(this.#lines.slice(start, this.#at));
    if (draft) this.#drafts.push(draft);
  }

  /** It ends with a border that a blank line follows. */
  #simpleTable(): void {
    const start = this.#at;
    do this.#at++;
    while (this.#at < this.#lines.length && !(isSimpleBorder(this.#line()) && this.#line(1).trim() === ''));
    this.#at++;
    const draft = simpleTable(this.#lines.slice(start, this.#at));
    if (draft) this.#drafts.push(draft);
  }

  #explicit(line: string): void {
    this.#at++;
    const [, name = '', argument = ''] = directive.exec(line) ?? [];
    const body = this.#indented();
    if (name === '' || silentDirectives.has(name)) return;
    const options = body.filter((it) => /^\s*:[\w-]+:/.test(it));
    const content = body.filter((it) => !options.includes(it));
    if (codeDirectives.has(name)) {
      this.#code(content);
      return;
    }
    if (name === 'math') {
      this.#push('Formula', [argument, ...content].join(' ').trim());
      return;
    }
    if (name === 'image' || name === 'figure') {
      const alt = options.map((it) => /^\s*:alt:\s*(.*)$/.exec(it)?.[1]).find(Boolean) ?? '';
      if (alt)
        this.#drafts.push({ kind: 'Image', text: alt, links: [{ text: alt, url: argument, start: 0 }] });
      this.#push('FigureCaption', content.join(' '));
      return;
    }
    const inner = rstDrafts([argument, '', ...unindented(content)].join('\n'));
    this.#drafts.push(...inner);
  }

  #item(): void {
    const line = this.#line();
    const marker = item.exec(line);
    const indent = marker?.[1]?.length ?? 0;
    const rest = [line.slice(marker?.[0].length ?? 0)];
    this.#at++;
    while (/^\s/.test(this.#line()) && !item.test(this.#line()) && this.#line().trim() !== '') {
      rest.push(this.#line().trim());
      this.#at++;
    }
    this.#push('ListItem', rest.join(' '), { depth: Math.min(Math.floor(indent / 2), 8) });
  }

  #paragraph(): void {
    const lines: string[] = [];
    while (
      this.#line().trim() !== '' &&
      !(lines.length > 0 && adornment.test(this.#line(1)) && !/^\s/.test(this.#line()))
    ) {
      // `|` begins a line of a line block, `:name:` a field.
      lines.push(
        this.#line()
          .trim()
          .replace(/^\| /, '')
          .replace(/^:(\w[\w -]*): +/, '$1: '),
      );
      this.#at++;
    }
    const text = lines.join(' ');
    const literal = text.endsWith('::');
    this.#push(undefined, literal ? text.replace(/\s*::$/, (end) => (end === '::' ? ':' : '')) : text);
    if (literal) this.#code(this.#indented());
  }

  #indented(): string[] {
    const lines: string[] = [];
    while (this.#at < this.#lines.length && (this.#line() === '' || /^\s/.test(this.#line()))) {
      lines.push(this.#line());
      this.#at++;
    }
    return lines;
  }

  #code(lines: string[]): void {
    const text = unindented(lines)
      .join('\n')
      .replace(/^\n+|\s+$/g, '');
    if (text) this.#drafts.push({ kind: 'CodeSnippet', text });
  }

  #push(kind: Draft['kind'] | undefined, source: string, more: Partial<Draft> = {}): void {
    const paragraph = rstText(source, this.#targets).take();
    if (paragraph.text)
      this.#drafts.push({ kind: kind ?? classifyParagraph(paragraph.text), ...paragraph, ...more });
  }
}

function unindented(lines: readonly string[]): string[] {
  const widths = lines.filter(Boolean).map((line) => line.length - line.trimStart().length);
  const width = widths.reduce((least, it) => Math.min(least, it), Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(Number.isFinite(width) ? width : 0));
}
