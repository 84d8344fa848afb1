import type { CatalogModel } from './catalog.ts';
import { type PullDependencies, type PullProgress, pullModel } from './pull-model.ts';

interface StarterPod {
  pod_id: string;
  engine: string;
  task: string;
  model: string;
  served_model_name: string;
}

interface StarterState {
  pod_id: string;
  state: string;
  error: string | null;
}

export interface StarterDependencies extends PullDependencies {
  launcher: {
    start(pod: StarterPod): Promise<StarterState>;
    onChange(listener: (pod: StarterState) => void): () => void;
  };
}

export type StarterEvent =
  | ({ kind: 'progress' } & PullProgress)
  | { kind: 'starting'; model: CatalogModel }
  | { kind: 'ready'; model: CatalogModel }
  | { kind: 'failed'; model: CatalogModel; reason: string };

/** Fetches the catalog's starter models where they are missing and runs a pod of each; one that fails stops no other. */
export async function bringUpStarters(
  deps: StarterDependencies,
  onEvent: (event: StarterEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const starters = deps.catalog.filter((model) => model.starter);
  const serving: Promise<void>[] = [];
  // One after the other: together they would only share the same line, and both come later.
  for (const model of starters) {
    try {
      const onProgress = (progress: PullProgress) => onEvent({ kind: 'progress', ...progress });
      await pullModel(deps, model.id, { signal, onProgress });
      onEvent({ kind: 'starting', model });
      serving.push(serve(deps.launcher, model, onEvent, signal));
    } catch (error) {
      if (signal.aborted) return;
      onEvent({ kind: 'failed', model, reason: (error as Error).message });
    }
  }
  await Promise.all(serving);
}

/** Settles when the pod serves for the first time, or will not. */
async function serve(
  launcher: StarterDependencies['launcher'],
  model: CatalogModel,
  onEvent: (event: StarterEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const pod = {
    pod_id: `starter-${model.id}`,
    engine: model.engine,
    task: model.task,
    model: model.id,
    served_model_name: model.id,
  };
  await new Promise<void>((resolve) => {
    const settle = (event?: StarterEvent) => {
      stopListening();
      if (event) onEvent(event);
      resolve();
    };
    const look = ({ pod_id, state, error }: StarterState) => {
      if (pod_id !== pod.pod_id) return;
      if (state === 'running') settle({ kind: 'ready', model });
      else if (state === 'failed' || state === 'crash-looping') {
        settle({ kind: 'failed', model, reason: error ?? 'its pod did not start' });
      } else if (state === 'stopped') settle();
    };
    const stopListening = launcher.onChange(look);
    signal.addEventListener('abort', () => settle(), { once: true });
    launcher
      .start(pod)
      .then(look, (error: Error) => settle({ kind: 'failed', model, reason: error.message }));
  });
}
