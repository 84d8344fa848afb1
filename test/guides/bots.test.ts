import { afterAll, expect, test } from 'vitest';
import { starterModels } from './places.ts';
import { freePort, Reader } from './reader.ts';

const models = await starterModels();
let reader: Reader;
afterAll(() => reader?.close());

test.skipIf(!models.available)('docs/guides/bots.md', async () => {
  const port = await freePort();
  reader = new Reader({ environment: { ROUNDHOUSE_PORT: port } });
  models.place(reader.machine());
  await reader.follow('bots.md', [['5500', port]]);
  const { printed } = reader;
  expect(printed).toContain('handbook: 2 indexed');
  expect(printed).toContain(`page: http://127.0.0.1:${port}/agent/handbook`);
  expect(printed).toContain('does not know Russian');
  expect(printed).toMatch(/70 euros abroad\.” \[1\]\n\n\[1\] Travel \(travel\.md\)/);
  expect(printed).toContain('28 календарных дней.» [1]');
  expect(printed).toContain('[1] Отпуск (Отпуск.md)');
  expect(printed).toContain('within 30 days after the trip');
  expect(printed).toMatch(/^right citations +100\.0 %$/m);
  expect(printed).toMatch(/^refused, of the unanswerable +100\.0 %$/m);
  expect(printed).toMatch(/^canteen\.txt +complete/m);
  expect(printed).toContain('canteen.txt of handbook was deleted');
});
