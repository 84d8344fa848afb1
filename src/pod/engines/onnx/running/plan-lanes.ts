export interface Lanes {
  /** Copies of the model that run at the same time. */
  count: number;
  /** Threads of each. */
  threads: number;
}

/** A core is better used by a sequence of its own than by a share of one, but each lane holds a copy of the weights. */
const mostLanes = 8;
const bytesOfCopies = 512 * 1024 * 1024;

/** Divides a model's threads into lanes, for models that run one sequence at a time. */
export function planLanes(threads: number, weightBytes: number): Lanes {
  const most = Math.min(mostLanes, Math.max(1, Math.floor(bytesOfCopies / weightBytes)));
  const perLane = Math.ceil(threads / most);
  return { count: Math.floor(threads / perLane), threads: perLane };
}
