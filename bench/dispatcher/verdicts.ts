/** A figure and its target. */
export interface Verdict {
  what: string;
  value: number | undefined;
  target: string;
  met: boolean | undefined;
  note?: string;
}

export function atMost(what: string, value: number | undefined, limit: number, note?: string): Verdict {
  const met = value === undefined || Number.isNaN(value) ? undefined : value <= limit;
  return { what, value, target: `≤ ${limit}`, met, ...(note ? { note } : {}) };
}

export function atLeast(what: string, value: number | undefined, limit: number, note?: string): Verdict {
  const met = value === undefined || Number.isNaN(value) ? undefined : value >= limit;
  return { what, value, target: `≥ ${limit}`, met, ...(note ? { note } : {}) };
}

export function print(verdicts: readonly Verdict[]): void {
  for (const { what, value, target, met, note } of verdicts) {
    const mark = met === undefined ? 'absent' : met ? 'met   ' : 'MISSED';
    const shown = value === undefined ? '–' : value.toPrecision(3);
    console.log(`${mark}  ${what.padEnd(64)} ${shown.padStart(8)}  ${target}${note ? `  (${note})` : ''}`);
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: Float64Array | readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
