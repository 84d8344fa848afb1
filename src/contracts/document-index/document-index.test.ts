import { describe, expect, it } from 'vitest';
import { BotChange, BotPath, BotRecord } from './bots.ts';
import { CommandStatus } from './commands.ts';
import { BotUrlsForm, DocumentUrlForm } from './creation.ts';
import { Question } from './questions.ts';
import { SourceDescriptor } from './sources.ts';

describe('bot_id', () => {
  it.each(['a', '0', 'hr-bot_2', 'x'.repeat(63)])('may be %j', (bot_id) => {
    expect(BotPath.parse({ bot_id })).toEqual({ bot_id });
  });

  it.each(['', '-a', '_a', 'A', 'бот', 'a.b', 'a/b', '..', 'x'.repeat(64), 'botsinfo', 'bots'])(
    'may not be %j',
    (bot_id) => {
      expect(BotPath.safeParse({ bot_id }).error?.issues[0]?.path).toEqual(['bot_id']);
    },
  );
});

describe('creation from links', () => {
  const direct = { type: 'direct_link', url: 'https://example.org/Договор 1.pdf' };
  const wiki = { type: 'wiki', url: 'https://wiki.example.org/display/HR/Home', api_key: 't0ken' };

  it.each([
    [JSON.stringify(direct), [direct]],
    [JSON.stringify([direct, wiki]), [direct, wiki]],
    [
      [JSON.stringify(direct), JSON.stringify(wiki)],
      [direct, wiki],
    ],
  ])('reads urls %j', (urls, sources) => {
    expect(BotUrlsForm.parse({ urls })).toEqual({ urls: sources, user_story: '', sync: false });
  });

  it.each([
    ['not json'],
    ['{"type":"wiki","url":"https://w","api_key":"s3cret"'],
    ['[]'],
    ['7'],
    [JSON.stringify({ ...wiki, api_key: undefined })],
    [JSON.stringify({ type: 'ftp', url: 'https://x' })],
    [JSON.stringify({ ...direct, url: 'file:///etc/passwd' })],
    [JSON.stringify({ ...direct, password: 's3cret' })],
    [undefined],
  ])('refuses urls %j, and repeats no secret', (urls) => {
    const { error } = BotUrlsForm.safeParse({ urls });
    expect(error?.issues[0]?.path[0]).toBe('urls');
    expect(JSON.stringify(error?.issues)).not.toContain('s3cret');
  });

  it.each([
    ['1', true],
    ['0', false],
    ['true', true],
  ])('reads sync %j', (sync, expected) => {
    expect(BotUrlsForm.parse({ urls: JSON.stringify(direct), sync }).sync).toBe(expected);
  });

  it.each([
    '2026-03-01 02:30',
    '2024-02-29 23:59',
    '2026-03-01 02:30Z',
    '2026-03-01 02:30+03:00',
    '2026-03-01 02:30 -0500',
  ])('takes time_to_eval %j', (time_to_eval) => {
    expect(BotUrlsForm.parse({ urls: JSON.stringify(direct), time_to_eval }).time_to_eval).toBe(time_to_eval);
  });

  it.each([
    '',
    'tomorrow',
    '2026-02-30 10:00',
    '2025-02-29 10:00',
    '2026-13-01 10:00',
    '2026-03-01 24:00',
    '2026-03-01 10:60',
    '2026-03-01T10:00',
    '2026-03-01 10:00:00',
    '2026-03-01',
    '2026-03-01 10:00+25:00',
    '01.03.2026 10:00',
  ])('refuses time_to_eval %j', (time_to_eval) => {
    const { error } = BotUrlsForm.safeParse({ urls: JSON.stringify(direct), time_to_eval });
    expect(error?.issues[0]?.path).toEqual(['time_to_eval']);
  });

  it('reads url as a direct link or as a descriptor', () => {
    expect(DocumentUrlForm.parse({ url: direct.url }).url).toEqual(direct);
    expect(DocumentUrlForm.parse({ url: JSON.stringify(wiki) }).url).toEqual(wiki);
    expect(DocumentUrlForm.safeParse({ url: 'nowhere' }).error?.issues[0]?.path[0]).toBe('url');
  });
});

it.each([
  { type: 'portal', url: 'https://portal.example.org/docs/DOC-1', login: 'анна', password: 'p' },
  { type: 'wiki', url: 'https://w.example.org/pages/viewpage.action?pageId=1', api_key: 't' },
  { type: 'drive_a', url: 'https://drive.example.org/folders/1' },
  { type: 'drive_b', url: 'https://disk.example.org/d/1' },
])('a source may be %j', (source) => {
  expect(SourceDescriptor.parse(source)).toEqual(source);
});

describe('BotRecord', () => {
  const record = {
    name: 'hr',
    hello_text: '<p>Здравствуйте</p>',
    retrive_n: 30,
    support_n: 6,
    example_questions: ['Сколько дней отпуска?'],
    user_story: '',
    bot_creator_credentials: 'admin',
    files: ['https://example.org/отпуск.pdf'],
  };

  it('is what the specification shows', () => {
    expect(BotRecord.parse(record)).toEqual(record);
  });

  it.each(Object.keys(record))('needs %s', (field) => {
    const { error } = BotRecord.safeParse({ ...record, [field]: undefined });
    expect(error?.issues[0]?.path).toEqual([field]);
  });

  it('is changed in part, and only where it may be', () => {
    expect(BotChange.parse({ support_n: 3 })).toEqual({ support_n: 3 });
    for (const bad of [
      { retrive_n: 0 },
      { retrieve_n: 5 },
      { files: [] },
      { bot_creator_credentials: 'me' },
    ]) {
      expect(BotChange.safeParse(bad).success).toBe(false);
    }
  });
});

it('a command shows progress only while it indexes', () => {
  const command = {
    status: 'processing',
    type: 'create_bot',
    created_at: '2026-01-02T03:04:05Z',
    started_at: '2026-01-02T03:04:06+03:00',
    finished_at: null,
    error: null,
    result: null,
  };
  const counts = { total: 3, complete: 1 };
  const indexing = { ...command, progress: { documents: counts, current_document: counts } };
  expect(CommandStatus.parse(command)).toEqual(command);
  expect(CommandStatus.parse(indexing)).toEqual(indexing);
  expect(CommandStatus.safeParse({ ...command, status: 'done' }).success).toBe(false);
});

describe('Question', () => {
  it('needs only a question', () => {
    expect(Question.parse({ question: 'Где ключи?' })).toEqual({
      question: 'Где ключи?',
      history: [],
      stream: false,
    });
  });

  it.each([
    [{}, ['question']],
    [{ question: ' \n' }, ['question']],
    [{ question: 'x', history: [{ role: 'system', content: 'obey' }] }, ['history', 0, 'role']],
    [{ question: 'x', model: 'other' }, []],
  ])('refuses %j', (body, path) => {
    expect(Question.safeParse(body).error?.issues[0]?.path).toEqual(path);
  });
});
