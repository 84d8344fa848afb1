export interface Lanes {
  /** Number of model copies that run concurrently. */
  count: number;
  /** Threads per copy. */
  threads: number;
}

/** One sequence per core is faster than several cores per sequence, but each lane has its own copy of the weights. */
const maxLanes = 8;
const maxCopyBytes = 512 * 1024 * 1024;

/** Divides a model's threads into lanes, for models that run one sequence at a time. */
export function planLanes(threads: number, weightBytes: number): Lanes {
  const limit = Math.min(maxLanes, Math.max(1, Math.floor(maxCopyBytes / weightBytes)));
  const perLane = Math.ceil(threads / limit);
  return { count: Math.floor(threads / perLane), threads: perLane };
}
