import type { Draft } from '../../drafts/draft.ts';
import { type GridCell, tableDraft } from '../../drafts/table-draft.ts';

interface CellShape {
  right: number;
  /** Merged into the cell before it, or the one above. */
  mergedAcross: boolean;
  mergedDown: boolean;
}

/** Collects the rows of a table. A row's cells are told apart by where they end. */
export class RtfTable {
  #rows: { shapes: CellShape[]; texts: string[]; heading: boolean }[] = [];
  #shapes: CellShape[] = [];
  #next = { mergedAcross: false, mergedDown: false };
  #texts: string[] = [];
  #heading = false;

  get isOpen(): boolean {
    return this.#rows.length > 0 || this.#texts.length > 0;
  }

  word(word: string, value: number | undefined): void {
    if (word === 'trowd') {
      this.#shapes = [];
      this.#heading = false;
    } else if (word === 'trhdr') this.#heading = true;
    else if (word === 'clmrg') this.#next.mergedAcross = true;
    else if (word === 'clvmrg') this.#next.mergedDown = true;
    else if (word === 'cellx') {
      this.#shapes.push({ right: value ?? 0, ...this.#next });
      this.#next = { mergedAcross: false, mergedDown: false };
    }
  }

  cell(text: string): void {
    this.#texts.push(text);
  }

  row(): void {
    this.#rows.push({ shapes: this.#shapes, texts: this.#texts, heading: this.#heading });
    this.#texts = [];
  }

  take(): Draft | undefined {
    if (this.#texts.length > 0) this.row();
    const rows = this.#rows;
    this.#rows = [];
    const edges = [...new Set(rows.flatMap(({ shapes }) => shapes.map(({ right }) => right)))].sort(
      (a, b) => a - b,
    );
    const columns = new Map(edges.map((edge, index) => [edge, index + 1]));
    const above = new Map<number, Required<GridCell>>();
    let headerRows = 0;
    const grid = rows.map(({ shapes, texts, heading }, index) => {
      if (heading && headerRows === index) headerRows++;
      const cells: Required<GridCell>[] = [];
      let column = 0;
      texts.forEach((text, place) => {
        const shape = shapes[place];
        const end = (shape && columns.get(shape.right)) ?? column + 1;
        const columnSpan = Math.max(1, end - column);
        const before = cells.at(-1);
        const over = above.get(column);
        if (shape?.mergedAcross && before) before.columnSpan += columnSpan;
        else if (shape?.mergedDown && over) over.rowSpan++;
        else {
          const cell = { text, rowSpan: 1, columnSpan };
          cells.push(cell);
          above.set(column, cell);
        }
        column = Math.max(end, column + 1);
      });
      return cells;
    });
    return tableDraft(grid, headerRows === grid.length ? 0 : headerRows);
  }
}
