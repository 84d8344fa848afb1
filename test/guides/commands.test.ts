import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The command line without its actions: each file of `src/cli/commands` adds a command. */
async function commandLine(): Promise<Command> {
  const program = new Command('roundhouse');
  for (const file of globSync('src/cli/commands/*.ts', { cwd: root })) {
    const { register } = (await import(join(root, file))) as { register(program: Command): void };
    register(program);
  }
  return program;
}

/** Everything that the documentation shows as a call of `roundhouse`, in blocks and in the text. */
function callsIn(text: string): string[] {
  const code = [
    ...[...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block),
    ...[...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span),
  ];
  return code
    .flatMap((part) => part.replace(/\\\n\s*|(?<=\S)\n\s+/g, ' ').split('\n'))
    .flatMap((line) => [...line.matchAll(/(?:^|[\s(/])roundhouse (?!roundhouse)([a-z][^|&;#)>]*)/g)])
    .map(([, call = '']) => call.trim());
}

/** What the command line would not understand about a call. */
function problemOf(program: Command, call: string): string | undefined {
  const words = call.replace(/"[^"]*"|'[^']*'/g, 'x').split(/\s+/);
  let command = program;
  let at = 0;
  for (; at < words.length; at++) {
    const next = command.commands.find((candidate) => candidate.name() === words[at]);
    if (!next) break;
    command = next;
  }
  if (at === 0 && words[0] !== 'help') return `no command '${words[0]}'`;
  const end = words.indexOf('--');
  const known = new Set(
    ['--help', ...command.options, ...(command.parent?.options ?? [])].map((option) =>
      typeof option === 'string' ? option : option.long,
    ),
  );
  const unknown = words
    .slice(at, end < 0 ? undefined : end)
    .find((word) => /^--[a-z]/.test(word) && !known.has(word.replace(/=.*/, '')));
  return unknown && `'${command.name()}' has no option ${unknown}`;
}

test('every command in the documentation exists, with its options', async () => {
  const program = await commandLine();
  expect(problemOf(program, 'nonsense')).toBeDefined();
  expect(problemOf(program, 'deploy org/name --nonsense')).toBeDefined();
  const pages = globSync(['README.md', 'docs/*.md', 'docs/guides/*.md'], { cwd: root });
  const calls = pages.flatMap((page) =>
    callsIn(readFileSync(join(root, page), 'utf8')).map((call) => ({ page, call })),
  );
  expect(calls.length).toBeGreaterThan(100);
  const problems = calls.flatMap(({ page, call }) => {
    const problem = problemOf(program, call);
    return problem ? [`${page}: roundhouse ${call}: ${problem}`] : [];
  });
  expect(problems).toEqual([]);
});

test('every command and option says what it does in its help', async () => {
  const program = await commandLine();
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const commands = program.commands.flatMap(all);
  expect(commands.length).toBeGreaterThan(50);
  const silent = commands.flatMap((command) => [
    ...(command.description() ? [] : [command.name()]),
    ...command.options
      .filter((option) => !option.description && !option.hidden)
      .map(({ flags }) => `${command.name()} ${flags}`),
  ]);
  expect(silent).toEqual([]);
});

test('every link to a heading of a page leads to one', () => {
  const pages = globSync(['README.md', 'docs/*.md', 'docs/guides/*.md'], { cwd: root });
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(/\]\(([^)\s:]*)#([^)\s]+)\)/g)].flatMap(([, target = '', anchor = '']) => {
      const linked = target === '' ? text : readFileSync(join(root, page, '..', target), 'utf8');
      return anchorsOf(linked).includes(anchor) ? [] : [`${page}: ${target}#${anchor}`];
    });
  });
  expect(broken).toEqual([]);
});

/** The names that GitHub gives to headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
