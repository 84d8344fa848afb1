export interface Figure {
  name: string;
  unit: string;
  ours: number;
  theirs: number;
  /** Ours divided by theirs, per round, and the median of those. */
  ratio: number;
  goal: number;
  better: 'higher' | 'lower';
}

interface Comparison {
  name: string;
  unit: string;
  goal: number;
  better?: 'higher' | 'lower';
  rounds?: number;
  ours(round: number): Promise<number>;
  theirs(round: number): Promise<number>;
}

/** Alternates between both, so that noise affects them equally. The first round is a warm-up and does not count. */
export async function compare(comparison: Comparison): Promise<Figure> {
  const { name, unit, goal, better = 'higher', rounds = 5 } = comparison;
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = oursFirst ? await comparison.ours(round) : await comparison.theirs(round);
    const second = oursFirst ? await comparison.theirs(round) : await comparison.ours(round);
    const pair = oursFirst ? { ours: first, theirs: second } : { ours: second, theirs: first };
    if (round > 0) pairs.push(pair);
  }
  const figure: Figure = {
    name,
    unit,
    ours: middle(pairs.map((pair) => pair.ours)),
    theirs: middle(pairs.map((pair) => pair.theirs)),
    ratio: middle(pairs.map((pair) => pair.ours / pair.theirs)),
    goal,
    better,
  };
  print(figure);
  return figure;
}

export function isMet({ ratio, goal, better }: Figure): boolean {
  return better === 'higher' ? ratio >= goal : ratio <= goal;
}

function print(figure: Figure): void {
  const { name, unit, ours, theirs, ratio, goal, better } = figure;
  const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
  const mark = isMet(figure) ? 'ok  ' : 'MISS';
  const sign = better === 'higher' ? '≥' : '≤';
  console.log(
    `${mark} ${name.padEnd(58)} ${shown(ours)} / ${shown(theirs)} ${unit}  ratio ${ratio.toFixed(3)} (goal ${sign} ${goal})`,
  );
}

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}
