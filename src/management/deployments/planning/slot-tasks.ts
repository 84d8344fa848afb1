import type { PodTask } from '../../../contracts/dispatcher/pods.ts';
import { type FixedSlot, isFixedSlot, type Slot } from '../../../contracts/management/deployments.ts';

/** The task of the fixed slots. */
export const slotTasks: Record<FixedSlot, PodTask> = {
  chat: 'llm',
  embeddings: 'embeddings',
  rerank: 'rerank',
};

/** The tasks of models that a slot takes. Embeddings pods also rerank, by cosine similarity. */
export function tasksOf(slot: Slot): readonly PodTask[] {
  if (!isFixedSlot(slot)) return ['llm', 'embeddings', 'rerank'];
  return slot === 'rerank' ? ['rerank', 'embeddings'] : [slotTasks[slot]];
}

/** The task of a model that does not say what it is for. */
export const defaultTask = (slot: Slot): PodTask => (isFixedSlot(slot) ? slotTasks[slot] : 'llm');
