import { describe, expect, it } from 'vitest';
import { linkIds } from '../commands/new-documents.ts';
import type { SourceItem } from '../sources/source.ts';
import { type ListedSource, sourceId } from './listed-source.ts';
import { planBotSync, type SyncedDocument } from './plan-bot-sync.ts';

const item = (name: string, more: Partial<SourceItem> = {}): SourceItem => ({
  id: name,
  version: '1',
  name,
  url: `https://wiki.example/${name}`,
  size: null,
  path: [],
  ...more,
});
const source = (json: string, items: Record<string, SourceItem> | null): ListedSource => ({
  type: 'wiki',
  url: `https://wiki.example/${json}`,
  json,
  prefix: '',
  items: items && new Map(Object.entries(items)),
  problem: items ? null : 'is down',
});
let last = 0;
const document = (id: string | null, name: string, more: Partial<SyncedDocument> = {}): SyncedDocument => ({
  id: ++last,
  name,
  state: 'active',
  source_json: id === null ? null : 'one',
  source_id: id,
  source_version: '1',
  containers_json: '[]',
  sha256: 'abc',
  ...more,
});
const plan = (listed: ListedSource[], documents: SyncedDocument[]) => {
  const { prepare, remove, keep, problems } = planBotSync(listed, documents);
  return {
    prepare: prepare.map(({ item: { id, name }, renames }) => `${id} as ${name}${renames ? ' again' : ''}`),
    remove: remove.map((gone) => documents.find(({ id }) => id === gone)?.name),
    keep: [...keep],
    problems: problems.map(({ item: { id } }) => id),
  };
};
const nothing = { prepare: [], remove: [], keep: [], problems: [] };

describe('planBotSync', () => {
  it('keeps what another source still lists, and what a source that is down had', () => {
    const documents = [document('a', 'a'), document('b', 'b'), document('c', 'c', { source_json: 'three' })];
    const listed = [source('one', { x: item('x') }), source('two', { a: item('a') }), source('three', null)];
    expect(plan(listed, documents)).toEqual({
      prepare: ['x as x'],
      remove: ['b'],
      keep: ['a', 'c'],
      problems: [],
    });
  });

  it('keeps documents of a folder that can not be listed, with their names, and finds them where they are', () => {
    const documents = [
      document('a', 'a'),
      document('b', 'b', { containers_json: '["dir"]' }),
      document('c', 'c', { containers_json: '["dir"]' }),
      document('d', 'd', { containers_json: '["old"]' }),
    ];
    const dir = item('dir', { problem: 'no access', unlisted: true });
    const listed = [
      source('one', {
        dir,
        2: item('b'),
        a: item('a', { containers: ['new'] }),
        c: item('c', { containers: ['dir'] }),
      }),
    ];
    expect(plan(listed, documents)).toEqual({
      prepare: ['2 as b (2)'],
      remove: ['d'],
      keep: ['a', 'c', 'b'],
      problems: ['dir'],
    });
    const { moved, problems } = planBotSync(listed, documents);
    expect(moved).toEqual([{ id: documents[0]?.id, source_json: 'one', containers_json: '["new"]' }]);
    expect(problems[0]?.item.problem).toBe('no access; 2 documents from there stayed');
  });

  it('fetches from the source that can, where several list an item', () => {
    const listed = [
      source('one', { a: item('a', { problem: 'no access' }) }),
      source('two', { a: item('a') }),
    ];
    expect(plan(listed, [])).toEqual({ ...nothing, prepare: ['a as a'] });
  });

  it('leaves the names of other documents alone, and numbered names as they are', () => {
    const documents = [document(null, 'a.txt'), document('1', 'a (2).txt'), document('2', 'b.txt')];
    const listed = [
      source('one', { 1: item('a.txt'), 2: item('b.txt'), 3: item('b.txt'), constructor: item('c.txt') }),
    ];
    expect(plan(listed, documents)).toEqual({
      ...nothing,
      prepare: ['3 as b (2).txt', 'constructor as c.txt'],
      keep: ['1', '2'],
    });
  });

  it('lets two documents exchange their names', () => {
    const documents = [document('1', 'a'), document('2', 'b')];
    expect(plan([source('one', { 1: item('b'), 2: item('a') })], documents)).toEqual({
      ...nothing,
      prepare: ['1 as b again', '2 as a again'],
    });
  });

  it('tries what could not be read again only when it changes, and what could not be fetched always', () => {
    const unreadable = { state: 'error', source_version: '2' } as const;
    const documents = [
      document('a', 'a'),
      document('a', 'a', unreadable),
      document('b', 'b', unreadable),
      document('c', 'c', { ...unreadable, sha256: null }),
      document('d', 'd', unreadable),
    ];
    const items = {
      a: item('a', { version: '2' }),
      b: item('b', { version: '3' }),
      c: item('c', { version: '2' }),
    };
    expect(plan([source('one', items)], documents)).toEqual({
      ...nothing,
      prepare: ['c as c', 'b as b'],
      remove: ['d'],
      keep: ['a'],
    });
  });
});

it('items of two wikis have different ids, and a link has none of its secrets', () => {
  const wiki = (url: string) => ({ type: 'wiki' as const, url, api_key: 'x' });
  const page = { id: 'page:1' };
  const none = new Map<string, string>();
  expect(sourceId(wiki('https://a.example/display/X'), page, none)).not.toBe(
    sourceId(wiki('https://b.example/x'), page, none),
  );
  expect(sourceId(wiki('https://a.example/display/X'), page, none)).toBe(
    sourceId(wiki('https://a.example/x'), page, none),
  );
  const link = { type: 'direct_link' as const, url: 'https://u:p@a.example/f.pdf?token=hunter2hunter2' };
  expect(sourceId(link, { id: link.url }, linkIds([link]))).not.toMatch(/hunter2|u:p/);
});
