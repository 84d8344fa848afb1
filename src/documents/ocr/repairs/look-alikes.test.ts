import { expect, test } from 'vitest';
import { repairLookAlikes } from './look-alikes.ts';

test.each([
  ['Annual report оп rail traffic', 'Annual report on rail traffic'],
  ['Объeм пepeвозок вырос', 'Объeм перевозок вырос'.replace('e', 'е')],
  ['все расходы o которых', 'все расходы о которых'],
  ['файл index.html создан', 'файл index.html создан'],
  ['Windows и Linux', 'Windows и Linux'],
])('%s', (line, repaired) => {
  expect(repairLookAlikes(line.split(' ')).join(' ')).toBe(repaired);
});
