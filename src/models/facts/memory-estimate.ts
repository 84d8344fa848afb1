/** What the memory for past tokens depends on. */
export interface Shape {
  layers: number;
  keyValueHeads: number;
  headSize: number;
}

/** What an engine takes as context where nobody says otherwise. */
const usualContext = 8192;
/** The engine's own code and buffers. */
const engineBytes = 160 * 2 ** 20;

/**
 * Bytes that serving one copy needs: the weights, keys and values of a full context in 16 bits, buffers for
 * computing (a twentieth of the weights), and the engine itself.
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
