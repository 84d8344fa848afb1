/** Parses a Prometheus page; sums samples over their labels, by name. */
export function readSamples(page: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of page.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{.*\})?\s+(\S+)/.exec(line);
    if (match === null) continue;
    const [, name, text] = match as unknown as [string, string, string];
    const value = Number(text);
    if (Number.isFinite(value)) samples.set(name, (samples.get(name) ?? 0) + value);
  }
  return samples;
}

/** Mean of a histogram of seconds, in milliseconds; undefined if it is empty. */
export function meanMilliseconds(samples: Map<string, number>, histogram: string): number | undefined {
  const count = samples.get(`${histogram}_count`) ?? 0;
  const sum = samples.get(`${histogram}_sum`) ?? 0;
  return count > 0 ? (sum / count) * 1000 : undefined;
}
