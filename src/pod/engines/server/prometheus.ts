/** The samples of a Prometheus page, added up over their labels, by name. */
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

/** A histogram's mean, in thousandths of its unit; undefined where nothing was counted. */
export function meanMilliseconds(samples: Map<string, number>, histogram: string): number | undefined {
  const count = samples.get(`${histogram}_count`) ?? 0;
  const sum = samples.get(`${histogram}_sum`) ?? 0;
  return count > 0 ? (sum / count) * 1000 : undefined;
}
