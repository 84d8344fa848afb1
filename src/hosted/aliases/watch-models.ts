import type { Model } from '../../contracts/openai/models.ts';
import type { InferenceFront } from '../../platform/inference/inference-front.ts';
import type { ServedSlots, ServiceSlot } from './service-aliases.ts';

const tasks: Record<ServiceSlot, string> = { chat: 'llm', embeddings: 'embeddings', rerank: 'rerank' };

export interface WatchedModels extends ServedSlots {
  close(): void;
}

/**
 * Stands in for the slots where the management API runs in another process: for each task, the first model that the
 * dispatcher lists.
 */
export function watchModels(front: Pick<InferenceFront, 'models'>, every = 5_000): WatchedModels {
  const listeners = new Set<() => void>();
  let served: Model[] = [];
  const look = async () => {
    const { data } = await front.models();
    const before = JSON.stringify(served.map(({ id }) => id));
    served = data.filter(({ parent }) => !parent);
    if (JSON.stringify(served.map(({ id }) => id)) !== before) for (const listener of listeners) listener();
  };
  // A dispatcher that is away keeps the last names; its own errors tell callers what is wrong.
  const quietly = () => void look().catch(() => undefined);
  const timer = setInterval(quietly, every).unref();
  quietly();
  return {
    names: (slot) => served.filter(({ task }) => task === tasks[slot]).map(({ id }) => id),
    onChange: (listener) => void listeners.add(listener),
    close: () => clearInterval(timer),
  };
}
