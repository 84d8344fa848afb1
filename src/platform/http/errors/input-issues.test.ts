import { expect, it } from 'vitest';
import { z } from 'zod';
import { toInputIssues } from './input-issues.ts';

const issuesOf = (schema: z.ZodType, data: unknown) =>
  toInputIssues(schema.safeParse(data).error?.issues ?? [], 'body', data);

it('lists the first issues of many', () => {
  const issues = issuesOf(
    z.array(z.union([z.string(), z.object({ text: z.string() })])),
    new Array(50_000).fill(1),
  );
  expect(issues).toHaveLength(20);
  expect(issues[0]?.loc).toEqual(['body', 0]);
  const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]));
  expect(issuesOf(z.strictObject({}), unknown)).toHaveLength(20);
});

it('cuts what it quotes of the input', () => {
  const [issue] = issuesOf(z.strictObject({}), { ['k'.repeat(10 ** 6)]: 1 });
  expect(JSON.stringify(issue).length).toBeLessThan(500);
});
