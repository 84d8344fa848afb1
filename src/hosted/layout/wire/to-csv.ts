import type { LayoutElement } from '../../../contracts/hosted/layout-elements.ts';

const leading = ['type', 'element_id', 'text'];

/** One row per element; the columns are the fields that any of the elements has. */
export function toCsv(elements: readonly LayoutElement[]): string {
  const rows = elements.map(({ type, element_id, text, metadata }) => {
    const { coordinates, ...rest } = metadata;
    const { points, system, layout_width, layout_height } = coordinates ?? {};
    const flat = {
      coordinates_points: points,
      coordinates_system: system,
      coordinates_layout_width: layout_width,
      coordinates_layout_height: layout_height,
    };
    return new Map<string, unknown>(
      Object.entries({ type, element_id, text, ...rest, ...(coordinates ? flat : {}) }),
    );
  });
  const found = new Set(rows.flatMap((row) => [...row.keys()]));
  const columns = [...leading, ...[...found].filter((name) => !leading.includes(name)).sort()];
  const lines = rows.map((row) => columns.map((column) => cell(row.get(column))).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

function cell(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
