import type { CatalogRow } from '../../models/catalog/list-catalog.ts';

const heading = ['', 'ID', 'TASK', 'SIZE', 'MEMORY', 'LANGUAGES', 'LICENCE'];

/** The catalog as a table, with a line below each model that says what it is good for and where it comes from. */
export function catalogTable(rows: readonly CatalogRow[]): string {
  const cells = rows.map((row) => [
    row.here ? '✓' : ' ',
    row.id,
    row.task,
    bytes(row.size),
    bytes(row.memory),
    languages(row.languages),
    row.licence,
  ]);
  const widths = heading.map((title, column) =>
    Math.max(...[heading, ...cells].map((line) => (line[column] ?? '').length), title.length),
  );
  const show = (line: readonly string[]) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd();
  const lines = rows.flatMap((row, index) => [
    show(cells[index] ?? []),
    `   ${row.note} (${row.hub ?? row.origin})`,
  ]);
  const legend = [
    '✓ downloaded. MEMORY is what a replica needs, with a context of 8192 tokens.',
    "Add one with 'roundhouse models add <id>', or any other model of the hub by its id.",
  ];
  return [show(heading), ...lines, '', ...legend].join('\n');
}

/** Sizes are aligned to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 3 || column === 4 ? cell.padStart(width) : cell.padEnd(width);
}

function bytes(count: number): string {
  return count < 1e9 ? `${Math.round(count / 1e6)} MB` : `${(count / 1e9).toFixed(1)} GB`;
}

/** The first ones are named: the column would be too wide otherwise. */
function languages(codes: readonly string[]): string {
  return codes.length > 3 ? `${codes.slice(0, 3).join(',')},…` : codes.join(',');
}
