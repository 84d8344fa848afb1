const bounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  120, 300,
];

/** A Prometheus sample, in the form that the metrics library expects. */
export interface Sample {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

/** A histogram of seconds with fixed buckets. A labelled histogram would look up its labels on every request. */
export class Histogram {
  readonly #counts = new Float64Array(bounds.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  samples(name: string, labels: Record<string, string>): Sample[] {
    let total = 0;
    const samples = bounds.map((bound, bucket): Sample => {
      total += this.#counts[bucket] as number;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: total };
    });
    total += this.#counts[bounds.length] as number;
    samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: total });
    samples.push({ metricName: `${name}_sum`, labels, value: this.#sum });
    samples.push({ metricName: `${name}_count`, labels, value: total });
    return samples;
  }

  /** The counts in a form that `add` accepts, to sum them over workers. */
  export(): number[] {
    return [...this.#counts, this.#sum];
  }

  add(exported: readonly number[]): void {
    for (let bucket = 0; bucket <= bounds.length; bucket++) {
      this.#counts[bucket] = (this.#counts[bucket] as number) + (exported[bucket] ?? 0);
    }
    this.#sum += exported[bounds.length + 1] ?? 0;
  }
}
