import type { CatalogModel } from './catalog.ts';
import { type PullDependencies, type PullProgress, pullModel } from './pull-model.ts';

export interface StarterDependencies extends PullDependencies {
  deployments: {
    /** Whether the model should serve: false once its operator has replaced it or taken it down. */
    wants(model: CatalogModel): Promise<boolean>;
    /** Resolves when the model serves; rejects with the reason where it can't. */
    serve(model: CatalogModel, signal: AbortSignal): Promise<void>;
  };
}

export type StarterEvent =
  | ({ kind: 'progress' } & PullProgress)
  | { kind: 'waiting'; model: CatalogModel; reason: string }
  | { kind: 'starting'; model: CatalogModel }
  | { kind: 'ready'; model: CatalogModel }
  | { kind: 'failed'; model: CatalogModel; reason: string };

/**
 * Fetches the missing starter models and deploys them in the order of the catalog; a failure of one does not stop the
 * others.
 */
export async function bringUpStarters(
  deps: StarterDependencies,
  onEvent: (event: StarterEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const starters = deps.catalog.filter((model) => model.starter);
  let serving = Promise.resolve();
  const failed = (model: CatalogModel, error: unknown) => {
    if (!signal.aborted) onEvent({ kind: 'failed', model, reason: (error as Error).message });
  };
  // One after the other, both downloads and starts: in parallel they would share bandwidth and processor, and the first
  // would answer later. Only the next download overlaps with a start.
  for (const model of starters) {
    try {
      if (!(await deps.deployments.wants(model))) continue;
      const onProgress = (progress: PullProgress) => onEvent({ kind: 'progress', ...progress });
      const onWait = (reason: string) => onEvent({ kind: 'waiting', model, reason });
      await pullModel(deps, model.id, { signal, onProgress, onWait });
      await serving;
      onEvent({ kind: 'starting', model });
      const ready = deps.deployments.serve(model, signal).then(() => onEvent({ kind: 'ready', model }));
      serving = ready.catch((error) => failed(model, error));
    } catch (error) {
      if (signal.aborted) break;
      failed(model, error);
    }
  }
  await serving;
}
