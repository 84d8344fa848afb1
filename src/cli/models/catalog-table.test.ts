import { expect, test } from 'vitest';
import type { CatalogRow } from '../../models/catalog/list-catalog.ts';
import { catalogTable } from './catalog-table.ts';

const row: CatalogRow = {
  id: 'small',
  title: 'Small',
  task: 'llm',
  hub: null,
  size: 98_362_432,
  memory: 460_000_000,
  languages: ['en'],
  licence: 'MIT',
  origin: 'org/small',
  here: true,
  note: 'Good for trying.',
};

test('the catalog as a table', () => {
  const languages = ['en', 'ru', 'zh', 'de'];
  const large = {
    ...row,
    id: 'large-model',
    hub: 'org/large:Q4_K_M',
    size: 5.03e9,
    memory: 6.7e9,
    languages,
  };
  expect(
    catalogTable([row, { ...large, here: false }])
      .split('\n')
      .slice(0, 5),
  ).toEqual([
    '   ID           TASK    SIZE  MEMORY  LANGUAGES   LICENCE',
    '✓  small        llm    98 MB  460 MB  en          MIT',
    '   Good for trying. (org/small)',
    '   large-model  llm   5.0 GB  6.7 GB  en,ru,zh,…  MIT',
    '   Good for trying. (org/large:Q4_K_M)',
  ]);
});
