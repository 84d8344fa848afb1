/** What the size of the key-value cache depends on. */
export interface Shape {
  layers: number;
  keyValueHeads: number;
  headSize: number;
}

/** The context that engines use by default. */
const usualContext = 8192;
/** The engine's own code and buffers. */
const engineBytes = 160 * 2 ** 20;

/**
 * The memory that one replica needs: the weights, the key-value cache of a full context in 16 bits, compute buffers
 * (5 % of the weights) and the engine itself.
 */
export function estimateMemory(
  weightBytes: number,
  shape: Shape | null,
  contextLength: number | null,
): number {
  const context = Math.min(contextLength ?? usualContext, usualContext);
  const cache = shape ? 2 * shape.layers * shape.keyValueHeads * shape.headSize * context * 2 : 0;
  return Math.round(weightBytes * 1.05 + cache + engineBytes);
}
