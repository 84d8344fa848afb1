import type { Box } from '../element.ts';
import { crop, type Picture, resize } from '../pictures/picture.ts';
import type { Model } from './models.ts';
import { toTensor } from './to-tensor.ts';

/** A cell that the table model sees. Its box, in the picture's pixels, surrounds the cell's text. */
export interface SeenCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  box: Box;
}

export interface SeenTable {
  rows: number;
  columns: number;
  headerRows: number;
  cells: SeenCell[];
}

const side = 488;
const margin = 6;
/** What the numbers of the model's output stand for. */
const vocabulary = [
  ...['sos', '<thead>', '<tr>', '</td>', '</tr>', '</thead>', '<tbody>', '</tbody>', '<td'],
  ...[
    'colspan 5',
    '>',
    'colspan 2',
    'colspan 3',
    'rowspan 2',
    'colspan 4',
    'colspan 6',
    'rowspan 3',
    'colspan 9',
  ],
  ...[
    'colspan 10',
    'colspan 7',
    'rowspan 4',
    'rowspan 5',
    'rowspan 9',
    'colspan 8',
    'rowspan 8',
    'rowspan 6',
  ],
  ...['rowspan 7', 'rowspan 10', '<td></td>', 'eos'],
];

/** Reads the structure of the table inside a box. Undefined if its rows do not add up to a grid. */
export async function findCells(model: Model, picture: Picture, box: Box): Promise<SeenTable | undefined> {
  const part = crop(picture, {
    left: box.left - margin,
    top: box.top - margin,
    right: box.right + margin,
    bottom: box.bottom + margin,
  });
  const scale = side / Math.max(part.width, part.height);
  const small = await resize(
    part,
    Math.max(1, Math.round(part.width * scale)),
    Math.max(1, Math.round(part.height * scale)),
  );
  const [boxes, scores] = await model.run(toTensor(small, { side }), [1, 3, side, side]);
  const tokens = decode(scores as Float32Array);
  const places = boxes as Float32Array;
  return toTable(tokens, (at) => ({
    left: box.left - margin + (places[at * 4] as number) * part.width,
    top: box.top - margin + (places[at * 4 + 1] as number) * part.height,
    right: box.left - margin + (places[at * 4 + 2] as number) * part.width,
    bottom: box.top - margin + (places[at * 4 + 3] as number) * part.height,
  }));
}

function decode(scores: Float32Array): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < scores.length; at += vocabulary.length) {
    const own = scores.subarray(at, at + vocabulary.length);
    const token = vocabulary[own.indexOf(Math.max(...own))] as string;
    if (token === 'eos') break;
    tokens.push(token);
  }
  return tokens;
}

/** Places the cells in a grid, as a browser does. */
function toTable(tokens: string[], boxAt: (token: number) => Box): SeenTable | undefined {
  const taken = new Set<string>();
  const cells: SeenCell[] = [];
  let [row, columns, headerRows] = [-1, 0, 0];
  tokens.forEach((token, at) => {
    if (token === '<tr>') row += 1;
    if (token === '</thead>') headerRows = row + 1;
    if (row < 0 || (token !== '<td' && token !== '<td></td>')) return;
    const end = token === '<td' ? tokens.indexOf('>', at) : at;
    const span = (name: string) =>
      Number(
        tokens
          .slice(at, end)
          .find((one) => one.startsWith(name))
          ?.split(' ')[1] ?? 1,
      );
    const [rowSpan, columnSpan] = [span('rowspan'), span('colspan')];
    let column = 0;
    while (taken.has(`${row} ${column}`)) column += 1;
    for (let down = 0; down < rowSpan; down += 1)
      for (let right = 0; right < columnSpan; right += 1) taken.add(`${row + down} ${column + right}`);
    columns = Math.max(columns, column + columnSpan);
    cells.push({ row, column, rowSpan, columnSpan, box: boxAt(at) });
  });
  const rows = row + 1;
  const complete = taken.size === rows * columns && rows > 1 && columns > 1;
  return complete ? { rows, columns, headerRows: Math.min(headerRows, rows - 1), cells } : undefined;
}
