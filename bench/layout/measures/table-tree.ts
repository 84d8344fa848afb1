import type { TableCell, TableCells } from '../../../src/documents/element.ts';
import { similarity } from './text.ts';

/** A table, a row or a cell; children come before their parent, as in a postorder walk. */
interface TreeNode {
  cell?: TableCell;
  kind: 'table' | 'row' | 'cell';
  /** Position of the leftmost leaf below the node. */
  leftmost: number;
}

/**
 * Similarity of two tables as trees of rows and cells, as TEDS defines it: 1 − tree edit distance / size of the larger
 * tree. Changing a cell's span costs as much as removing the cell; changing its text costs the share that differs.
 */
export function treeSimilarity(expected: TableCells, found: TableCells): number {
  const [a, b] = [treeOf(expected), treeOf(found)];
  return 1 - treeDistance(a, b) / Math.max(a.length, b.length);
}

function treeOf(table: TableCells): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let row = 0; row < table.rows; row += 1) {
    const first = nodes.length;
    const cells = table.cells.filter((cell) => cell.row === row).sort((a, b) => a.column - b.column);
    for (const cell of cells) nodes.push({ kind: 'cell', cell, leftmost: nodes.length });
    nodes.push({ kind: 'row', leftmost: first });
  }
  nodes.push({ kind: 'table', leftmost: 0 });
  return nodes;
}

/** Zhang and Shasha's algorithm. */
function treeDistance(a: TreeNode[], b: TreeNode[]): number {
  const distances = a.map(() => new Float64Array(b.length));
  const changes = a.map((one) => b.map((other) => changeCost(one, other)));
  for (const i of keyRoots(a)) for (const j of keyRoots(b)) forestDistance(a, b, i, j, distances, changes);
  return distances.at(-1)?.at(-1) as number;
}

function forestDistance(
  a: TreeNode[],
  b: TreeNode[],
  i: number,
  j: number,
  distances: Float64Array[],
  changes: number[][],
): void {
  const [fromA, fromB] = [a[i]?.leftmost as number, b[j]?.leftmost as number];
  const forest = Array.from({ length: i - fromA + 2 }, () => new Float64Array(j - fromB + 2));
  const at = (row: number, column: number) => forest[row]?.[column] as number;
  for (let row = 0; row < forest.length; row += 1) {
    const cells = forest[row] as Float64Array;
    for (let column = 0; column < cells.length; column += 1) {
      if (row === 0 || column === 0) {
        cells[column] = row + column;
        continue;
      }
      const [x, y] = [fromA + row - 1, fromB + column - 1];
      const [leftX, leftY] = [a[x]?.leftmost as number, b[y]?.leftmost as number];
      const apart = Math.min(at(row - 1, column), at(row, column - 1)) + 1;
      if (leftX === fromA && leftY === fromB) {
        cells[column] = Math.min(apart, at(row - 1, column - 1) + (changes[x]?.[y] as number));
        (distances[x] as Float64Array)[y] = cells[column] as number;
      } else {
        cells[column] = Math.min(apart, at(leftX - fromA, leftY - fromB) + (distances[x]?.[y] as number));
      }
    }
  }
}

/** The root, and every node that has a sibling on its left. */
function keyRoots(nodes: TreeNode[]): number[] {
  const last = new Map(nodes.map((node, index) => [node.leftmost, index]));
  return [...last.values()].sort((a, b) => a - b);
}

function changeCost(one: TreeNode, other: TreeNode): number {
  if (one.kind !== other.kind) return 1;
  if (!one.cell || !other.cell) return 0;
  if (one.cell.rowSpan !== other.cell.rowSpan || one.cell.columnSpan !== other.cell.columnSpan) return 1;
  return 1 - similarity(one.cell.text, other.cell.text);
}
