/** A request for quota that this process has not leased yet. */
export interface Draw {
  readonly key: string;
  readonly row: number;
  /** The position in `budgets`. */
  readonly budget: number;
  readonly period: number;
  readonly limit: number;
  readonly wanted: number;
  /** The thread that asks. */
  readonly thread: number;
}

/** How much was granted, 0 where the budget is used up; `unavailable` where the database can't be asked. */
export type Drawn = number | 'unavailable';

export type Account = Pick<Draw, 'key' | 'row' | 'budget'>;

/** Where several processes share a database: what is left of a key's limits in all of them together. */
export interface Bank {
  draw(draw: Draw): Promise<Drawn>;
  /** Something was given back, or more was used than was leased: the database should know now. */
  settle(account: Account): void;
}
