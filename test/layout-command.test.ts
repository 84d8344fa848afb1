import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LayoutResponse } from '../src/contracts/hosted/layout-elements.ts';
import { docx } from './testkit/documents/office-files.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-layout-'));
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'отчёт.docx'), docx());
  const text =
    '# Title \x1b[31m\n\nSee [us](https://example.org) and [x](javascript:alert(1)).\n\n- one\n- two_\n';
  writeFileSync(join(folder, 'a.md'), text);
  writeFileSync(join(folder, 'other/a.md'), '# Other\n\n|a|b|\n|-|-|\n|1|2|\n');
  writeFileSync(join(folder, 'empty.txt'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function layout(...args: string[]) {
  const env = { PATH: process.env.PATH, TMPDIR: folder };
  const child = spawn(process.execPath, [main, 'layout', ...args], { cwd: folder, env });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, error };
}

describe('roundhouse layout', () => {
  it("prints JSON in a pipe, in the API's shape; a file that can't be read costs only itself", async () => {
    const { code, out, error } = await layout('отчёт.docx', 'empty.txt', 'constructor', 'other', 'a.md');
    const files = JSON.parse(out) as unknown[];
    expect([code, files.length, files.slice(1, 4)]).toEqual([1, 5, [null, null, null]]);
    const [report] = LayoutResponse.parse([files[0]]) as {
      text: string;
      metadata: { filename?: string };
    }[][];
    expect(report?.map(({ text }) => text)).toContain('Отчёт');
    expect(report?.[0]?.metadata.filename).toBe('отчёт.docx');
    expect(error.split('\n')).toEqual([
      expect.stringMatching(/^roundhouse: empty\.txt: .*empty/),
      'roundhouse: constructor: no such file',
      'roundhouse: other: is a folder; name the files in it',
      '',
    ]);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('prints Markdown and HTML in which the document can not run or hide anything', async () => {
    const markdown = await layout('a.md', '--format', 'markdown');
    expect(markdown).toEqual({
      code: 0,
      out: '# Title \\[31m\n\nSee [us](<https://example.org>) and \\[x\\](javascript:alert(1)).\n\n- one\n- two\\_\n',
      error: '',
    });
    const { out } = await layout('a.md', 'отчёт.docx', '--format', 'html');
    expect(out).toContain('<h1>Title [31m</h1>');
    expect(out).toContain('<a href="https://example.org">us</a>');
    expect(out).not.toContain('href="javascript');
    expect(out).toMatch(/<table><tr><th rowspan="2">Город<\/th>/);
    expect(out.match(/<article/g)).toHaveLength(2);
  });

  it('writes a file per document, in pages or chunks; says where there is nothing to draw', async () => {
    const args = [
      'a.md',
      'other/a.md',
      'отчёт.docx',
      '--output',
      'out',
      '--draw',
      'out/drawn',
      '--pages',
      '2-',
    ];
    const { code, out, error } = await layout(...args);
    expect([code, out]).toEqual([0, '']);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([
      '2-a.md.md',
      'a.md.md',
      'drawn',
      'отчёт.docx.md',
    ]);
    expect(readFileSync(join(folder, 'out/2-a.md.md'), 'utf8')).toBe(
      '# Other\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n',
    );
    const report = readFileSync(join(folder, 'out/отчёт.docx.md'), 'utf8');
    expect(report).toContain('## Методика');
    expect(report).not.toContain('Продажи');
    expect(error).toContain('a.md: has no pages, so all of it was read');
    expect(error).toContain('a.md: nothing to draw');
    const chunks = await layout('отчёт.docx', '--chunk', 'by_title', '--max-characters', '80');
    const types = (JSON.parse(chunks.out) as { type: string; text: string }[]).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['CompositeElement', 'TableChunk']));
  });

  it('refuses what it does not understand', async () => {
    const wrong: [string[], string][] = [
      [['a.md', '--pages', '7-3'], 'expected pages such as'],
      [['a.md', '--format', 'pdf'], 'Allowed choices are markdown, html, json'],
      [['a.md', '--output', 'a.md'], "can't be created (EEXIST)"],
      [[], "missing required argument 'files'"],
    ];
    const answers = await Promise.all(wrong.map(([args]) => layout(...args)));
    for (const [at, [, message]] of wrong.entries())
      expect(answers[at]).toMatchObject({ code: 1, out: '', error: expect.stringContaining(message) });
  });
});
