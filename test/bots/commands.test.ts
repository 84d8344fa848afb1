import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IndexServer, startIndexServer } from '../testkit/document-index/index-server.ts';
import { requirement } from '../testkit/requirement.ts';
import { until } from '../testkit/until.ts';

const root = join(import.meta.dirname, '../..');
const key = `rh-${'k'.repeat(40)}`;
const python = await requirement('python3', () => execFileSync('python3', ['--version']).length > 0);

let folder: string;
let server: IndexServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-bots-'));
  const texts: Record<string, string> = {
    'docs/manual.md': 'The pump P-200 holds 400 litres. Change the oil every 500 hours.',
    'docs/2026/Отчёт "итог".txt': 'Срок поставки насоса составляет тридцать дней.',
    'docs/2026/notes.md': 'Notes of 2026.',
    'docs/2027/notes.md': 'Notes of 2027.',
    'docs/.hidden.md': 'hidden',
    'docs/.git/config': 'hidden',
    'bad/broken.pdf': '%PDF',
    'bad/fine.md': 'This one is fine.',
  };
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'empty'));
  server = await startIndexServer(key);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  for (const bot of Object.keys(server.texts)) delete server.texts[bot];
  server.forms.length = 0;
  server.steps = 3;
});

interface Outcome {
  code: number | null;
  out: string;
  error: string;
}

function start(command: string[], env: Record<string, string> = {}) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ROUNDHOUSE_URL: server.url,
      ROUNDHOUSE_API_KEY: key,
      TMPDIR: folder,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const outcome: Outcome = { code: null, out: '', error: '' };
  child.stdout.on('data', (chunk) => {
    outcome.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    outcome.error += chunk;
  });
  const ended = new Promise<Outcome>((resolve) =>
    child.on('close', (code) => resolve(Object.assign(outcome, { code }))),
  );
  return { child, outcome, ended };
}

const main = join(root, 'src/cli/main.ts');
const roundhouse = (args: string[], input = '', env = {}) => {
  const { child, ended } = start([process.execPath, main, ...args], env);
  child.stdin.end(input);
  return ended;
};
const script = (args: string[], env = {}) => {
  const { child, ended } = start(['python3', join(root, 'create_bot.py'), ...args], env);
  child.stdin.end();
  return ended;
};

const names = ['Отчёт "итог".txt', '2026 - notes.md', '2027 - notes.md', 'manual.md'].sort();

describe.each([
  [
    'roundhouse create-bot',
    true,
    (args: string[], env?: object) => roundhouse(['create-bot', ...args], '', env),
  ],
  ['create_bot.py', python.available, script],
])('%s', (title, runs, create) => {
  test.runIf(runs)('uploads a folder, shows the progress, and ends with 0 if all is indexed', async () => {
    const { code, error, out } = await create([
      'help',
      'docs',
      '--user-story',
      'Инженеры',
      '--sync',
      '--at',
      '2027-01-31 02:30',
    ]);
    expect([code, out + error]).toEqual([0, expect.stringContaining('help: 4 indexed')]);
    expect(error).toContain('of 4 documents, chunk 5 of 10');
    expect(
      Object.keys(server.texts.help ?? {})
        .map((name) => name.replaceAll('%22', '"'))
        .sort(),
    ).toEqual(names);
    expect(server.texts.help?.['manual.md']).toBe(readFileSync(join(folder, 'docs/manual.md'), 'utf8'));
    expect(server.forms[0]).toMatchObject({
      user_story: ['Инженеры'],
      sync: ['1'],
      time_to_eval: ['2027-01-31 02:30'],
    });
  });

  test.runIf(runs)('a document that fails is named, and the exit code is 1', async () => {
    const { code, error } = await create(['help', 'bad']);
    expect([code, error]).toEqual([1, expect.stringContaining('failed broken.pdf: the file is encrypted')]);
  });

  test.runIf(runs)('adds to a bot that exists, or replaces it', async () => {
    server.texts.help = { 'fine.md': 'This one is fine.' };
    const added = await create([
      'help',
      join('docs', 'manual.md'),
      '--url',
      'https://example.org/a/price.pdf',
      '--json',
    ]);
    expect(JSON.parse(added.out)).toMatchObject({
      bot: 'help',
      added: ['manual.md', 'price.pdf'],
      failed: [],
    });
    expect(Object.keys(server.texts.help ?? {})).toEqual(['fine.md', 'manual.md', 'price.pdf']);
    const busy = await create(['help', 'bad']);
    expect([busy.code, busy.out + busy.error]).toEqual([
      1,
      expect.stringContaining('help: 1 indexed, 1 failed'),
    ]);
    expect(busy.error).toContain('failed broken.pdf: the document is busy');
    await create(['help', join('docs', 'manual.md'), '--replace']);
    expect(Object.keys(server.texts.help ?? {})).toEqual(['manual.md']);
  });

  test.runIf(runs)('builds a bot from links alone', async () => {
    const source = '{"type":"wiki","url":"https://wiki.example/display/A/Home","api_key":"secret"}';
    writeFileSync(join(folder, 'wiki.json'), source);
    const { code } = await create(['wiki', '--url', '@wiki.json', '--url', 'https://example.org/b.pdf']);
    expect(code).toBe(0);
    expect(server.forms[0]).toMatchObject({
      urls: [source.replaceAll(', ', ','), expect.any(String)].map(expectJson),
    });
  });

  test.runIf(runs)('says what is wrong with the key or the address', async () => {
    const wrong = await create(['help', 'docs'], { ROUNDHOUSE_API_KEY: 'rh-wrong' });
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('unknown, expired or revoked')]);
    const away = await create(['help', 'docs'], { ROUNDHOUSE_URL: 'http://127.0.0.1:9' });
    expect([away.code, away.error]).toEqual([
      1,
      expect.stringMatching(/no platform (is running|answers) at/),
    ]);
  });

  test.runIf(runs)('Ctrl+C without a terminal leaves the indexing alone', async () => {
    server.steps = 1_000_000;
    const command = title.endsWith('.py')
      ? ['python3', join(root, 'create_bot.py')]
      : [process.execPath, main, 'create-bot'];
    const { child, outcome, ended } = start([...command, 'help', 'docs']);
    await until('the indexing is shown', () => outcome.error.includes('documents'));
    child.kill('SIGINT');
    const { code, error } = await ended;
    expect([code, error]).toEqual([130, expect.stringContaining('the indexing goes on')]);
  });
});

const expectJson = (text: string) =>
  typeof text === 'string' ? expect.toSatisfy((given) => sameJson(given, text)) : text;
const sameJson = (given: string, wanted: string) =>
  JSON.stringify(JSON.parse(given)) === JSON.stringify(JSON.parse(wanted));

test.runIf(python.available).each([
  ['a missing path', ['help', 'nowhere'], 'no such file or folder: nowhere'],
  ['an empty folder', ['help', 'empty'], 'there are no files in empty'],
  ['a bad id', ['Help!', 'docs'], 'bot_id: is not valid'],
  ['nothing to index', ['help'], 'name a'],
])('create_bot.py refuses %s', async (_, args, message) => {
  const { code, error } = await script(args);
  expect([code === 0, error]).toEqual([false, expect.stringContaining(message)]);
});

test.runIf(python.available)('create_bot.py reads a large file while it is sent', async () => {
  const size = 150_000_000;
  writeFileSync(join(folder, 'large.bin'), '');
  truncateSync(join(folder, 'large.bin'), size);
  const measured = `import resource, runpy, sys
sys.argv = ['create_bot.py', 'large', 'large.bin']
try:
    runpy.run_path(${JSON.stringify(join(root, 'create_bot.py'))}, run_name='__main__')
finally:
    print('memory', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
`;
  const { ended } = start(['python3', '-c', measured]);
  const { out, error } = await ended;
  expect([out, error]).toEqual([expect.stringContaining('large: 1 indexed'), expect.any(String)]);
  expect(Number(/memory (\d+)/.exec(out)?.[1])).toBeLessThan(80);
  rmSync(join(folder, 'large.bin'));
});

describe('roundhouse bots', () => {
  beforeEach(() => {
    server.texts.pumps = {
      'manual.md': 'The pump P-200 holds 400 litres. Change the oil every 500 hours.',
      'Договор.txt': 'Срок поставки насоса составляет тридцать дней.',
    };
  });

  test('list, show, documents and delete', async () => {
    expect((await roundhouse(['bots', 'list'])).out).toMatch(/BOT +STATUS +DOCUMENTS.*\npumps +2 +test/);
    expect((await roundhouse(['bots', 'show', 'pumps'])).out).toMatch(
      /^pumps: 2 documents\n(.*\n)*page: http.*\/agent\/pumps\n/,
    );
    expect((await roundhouse(['bots', 'documents', 'pumps'])).out).toMatch(/Договор\.txt +complete +1 +2/);
    expect(await roundhouse(['bots', 'show', 'none'])).toMatchObject({
      code: 1,
      error: 'roundhouse: bot was not found\n',
    });
    expect(await roundhouse(['bots', 'delete', 'pumps'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('confirm it with --yes'),
    });
    expect(await roundhouse(['bots', 'delete', 'pumps', '--yes'])).toMatchObject({
      code: 0,
      out: 'the bot pumps with all of its documents was deleted: 4 chunks, 1 file\n',
    });
  });

  test('add needs a bot, and cancel a command', async () => {
    expect((await roundhouse(['bots', 'add', 'none', 'docs'])).error).toContain("there is no bot 'none'");
    server.steps = 1_000_000;
    const { out } = await roundhouse(['bots', 'add', 'pumps', 'docs/manual.md', '--detach', '--json']);
    const { commands } = JSON.parse(out) as { commands: string[] };
    expect((await roundhouse(['bots', 'cancel', 'pumps', commands[0] ?? ''])).out).toBe(
      `${commands[0]}: canceled\n`,
    );
  });

  test('ask prints the answer with its sources; a pipe is answered line by line, with history', async () => {
    const { code, out } = await roundhouse(['bots', 'ask', 'pumps', 'How many litres?']);
    expect([code, out]).toEqual([
      0,
      'The pump P-200 holds 400 litres. [1]\n\n[1] manual.md, page 1 (manual.md)\n    “The pump P-200 holds 400 litres.”\n',
    ]);
    const json = await roundhouse(['bots', 'ask', 'pumps', 'How many litres?', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ documents: [{ title: 'manual.md' }] });
    const piped = await roundhouse(['bots', 'ask', 'pumps'], 'How many litres?\nСрок поставки?\n');
    expect(piped.out).toContain('тридцать дней');
    expect(server.asked.at(-1)?.history).toHaveLength(2);
    const unknown = await roundhouse(['bots', 'ask', 'none', 'Why?']);
    expect([unknown.code, unknown.error]).toEqual([1, "roundhouse: bot 'none' was not found\n"]);
  });

  test('eval measures retrieval, answers, citations and refusals', async () => {
    const lines = [
      { question: 'How many litres?', answer: '400 litres', document: 'manual.md', answer_start: 22 },
      { question: 'Какой срок поставки насоса?', answer: 'тридцать дней', document: 'Договор.txt', page: 1 },
      { question: 'Who is president?', answer: null },
    ];
    const file = join(folder, 'questions.jsonl');
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { out, error } = await roundhouse(['bots', 'eval', 'pumps', file, '--json']);
    expect(error).toBe('');
    const { summary } = JSON.parse(out) as { summary: Record<string, number> };
    expect(summary).toMatchObject({
      questions: 3,
      unanswerable: 1,
      recall_at_1: 1,
      ndcg_at_10: 1,
      answer_recall: 1,
      citation_accuracy: 1,
      quotes_verbatim: 1,
      refused_of_unanswerable: 1,
      answered_of_answerable: 1,
    });
    const shown = await roundhouse(['bots', 'eval', 'pumps', file, '--limit', '1']);
    expect(shown.out).toMatch(/recall@1 +100\.0 %/);
  });
});
