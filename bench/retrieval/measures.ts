/** Figures of rankings, each the mean over questions. */
export interface Measures {
  /** Share of questions whose first passage answers. */
  first: number;
  ndcg: number;
}

const depth = 10;
const discount = (rank: number) => 1 / Math.log2(rank + 2);

export function measure(
  rankings: readonly { ids: readonly number[]; relevant: ReadonlySet<number> }[],
): Measures {
  let first = 0;
  let ndcg = 0;
  for (const { ids, relevant } of rankings) {
    const top = ids.slice(0, depth);
    if (top[0] !== undefined && relevant.has(top[0])) first++;
    const gain = top.reduce((sum, id, rank) => sum + (relevant.has(id) ? discount(rank) : 0), 0);
    let ideal = 0;
    for (let rank = 0; rank < Math.min(depth, relevant.size); rank++) ideal += discount(rank);
    ndcg += ideal === 0 ? 0 : gain / ideal;
  }
  return { first: first / rankings.length, ndcg: ndcg / rankings.length };
}

export const percent = (share: number): string => (100 * share).toFixed(1).padStart(5);
