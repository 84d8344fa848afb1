import { describe, expect, it } from 'vitest';
import type { SourceItem } from '../source.ts';
import { type KnownDocument, planSync } from './plan-sync.ts';

const item = (id: string, more: Partial<SourceItem> = {}): SourceItem => ({
  id,
  version: '1',
  name: `${id}.pdf`,
  url: `https://wiki.example/${id}`,
  size: null,
  path: [],
  ...more,
});
const known = (sourceId: string, more: Partial<KnownDocument> = {}): KnownDocument => ({
  id: sourceId.length,
  name: `${sourceId}.pdf`,
  sourceId,
  version: '1',
  containers: [],
  ...more,
});
/** The plan as ids. */
const plan = (listed: SourceItem[] | null, documents: KnownDocument[]) => {
  const { add, update, rename, remove, keep, problems } = planSync(listed, documents);
  return {
    add: add.map(({ id }) => id),
    update: update.map(({ item: { id } }) => id),
    rename: rename.map(({ item: { id } }) => id),
    remove: remove.map(({ sourceId }) => sourceId),
    keep: keep.map(({ sourceId }) => sourceId),
    problems: problems.map(({ id }) => id),
  };
};
const nothing = { add: [], update: [], rename: [], remove: [], keep: [], problems: [] };

describe('planSync', () => {
  it('does nothing where nothing changed', () => {
    expect(plan([item('a'), item('b')], [known('a'), known('b')])).toEqual({ ...nothing, keep: ['a', 'b'] });
  });

  it('adds, updates, renames and removes what changed, and only that', () => {
    const listed = [
      item('same'),
      item('new'),
      item('changed', { version: '2' }),
      item('named', { name: 'Другое.pdf' }),
    ];
    expect(
      plan(
        listed,
        ['same', 'changed', 'named', 'gone'].map((id) => known(id)),
      ),
    ).toEqual({
      ...nothing,
      add: ['new'],
      update: ['changed'],
      rename: ['named'],
      remove: ['gone'],
      keep: ['same'],
    });
  });

  it('removes nothing where the source could not be listed', () => {
    expect(plan(null, [known('a'), known('b')])).toEqual({ ...nothing, keep: ['a', 'b'] });
    expect(plan([], [known('a')])).toEqual({ ...nothing, remove: ['a'] });
  });

  it('removes nothing from a part that could not be listed', () => {
    const listed = [item('a'), item('dir', { problem: 'no access', unlisted: true })];
    const documents = [
      known('a'),
      known('moved', { containers: ['top', 'other'] }),
      known('inside', { containers: ['top', 'dir', 'deep'] }),
      known('before', { containers: null }),
    ];
    expect(plan(listed, documents)).toEqual({
      ...nothing,
      remove: ['moved'],
      keep: ['a', 'inside', 'before'],
      problems: ['dir'],
    });
    expect(plan([item('a')], documents)).toMatchObject({ remove: ['moved', 'inside', 'before'] });
  });

  it('keeps what can not be fetched now, unless the source says that it is gone', () => {
    const listed = [
      item('locked', { problem: 'no access' }),
      item('deleted', { problem: 'nothing there', gone: true }),
    ];
    expect(plan(listed, [known('locked'), known('deleted')])).toEqual({
      ...nothing,
      remove: ['deleted'],
      keep: ['locked'],
      problems: ['locked', 'deleted'],
    });
  });

  it('lets the content decide where the source has no versions', () => {
    const listed = [item('a', { version: null }), item('constructor')];
    expect(plan(listed, [known('a', { version: null })])).toMatchObject({
      update: ['a'],
      add: ['constructor'],
    });
  });
});
