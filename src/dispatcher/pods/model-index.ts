import { seedOf } from '../routing/prefix-blocks.ts';
import type { Route, Waiter } from '../routing/route.ts';
import { WaitingLine } from '../routing/waiting-line.ts';
import type { RoutedPod } from './routed-pod.ts';

interface ModelRoute extends Route<RoutedPod> {
  readonly task: string;
  readonly pods: RoutedPod[];
  /** The base model, for an adapter. */
  parent: string | null;
  /** When a pod first had it. */
  readonly since: number;
}

/** Tasks whose pods can stand in for another task: embeddings pods rerank by cosine similarity. */
const substitutes = new Map([['rerank', 'embeddings']]);

/** Which pods have which model, by every name that it can be asked for. */
export class ModelIndex {
  readonly #names = new Map<string, Map<string, ModelRoute>>();
  /** What each pod was last listed under, to tell whether anything has changed. */
  readonly #listed = new Map<RoutedPod, string>();

  find(model: string, task: string): Route<RoutedPod> | 'wrong task' | undefined {
    const tasks = this.#names.get(model);
    if (!tasks) return undefined;
    return tasks.get(task) ?? tasks.get(substitutes.get(task) ?? '') ?? 'wrong task';
  }

  *routes(): Generator<ModelRoute> {
    for (const tasks of this.#names.values()) yield* tasks.values();
  }

  put(pod: RoutedPod): void {
    const { served_model_name, model_name, adapters } = pod.info;
    const listing = JSON.stringify([pod.task, served_model_name, model_name, adapters]);
    if (this.#listed.get(pod) === listing) return;
    const before = pod.routes as ModelRoute[];
    const own = served_model_name || model_name || '';
    const after: ModelRoute[] = [];
    for (const name of new Set([served_model_name, model_name])) {
      if (name) after.push(this.#join(pod, name, null));
    }
    for (const name of adapters ?? []) {
      if (name && name !== served_model_name && name !== model_name) after.push(this.#join(pod, name, own));
    }
    pod.routes = after;
    this.#listed.set(pod, listing);
    for (const route of before) if (!after.includes(route)) this.#leave(pod, route);
  }

  remove(pod: RoutedPod): void {
    for (const route of pod.routes as ModelRoute[]) this.#leave(pod, route);
    pod.routes = [];
    this.#listed.delete(pod);
  }

  #join(pod: RoutedPod, name: string, parent: string | null): ModelRoute {
    const tasks = this.#names.get(name) ?? new Map<string, ModelRoute>();
    this.#names.set(name, tasks);
    const known = tasks.get(pod.task);
    const route = known ?? {
      name,
      task: pod.task,
      adapter: parent !== null,
      parent,
      seed: seedOf(name),
      pods: [],
      waiting: new WaitingLine<Waiter>(),
      since: pod.reportedAt,
    };
    if (!known) tasks.set(pod.task, route);
    if (!route.pods.includes(pod)) route.pods.push(pod);
    return route;
  }

  /** A name that no pod has any more is unknown again. */
  #leave(pod: RoutedPod, route: ModelRoute): void {
    const at = route.pods.indexOf(pod);
    if (at >= 0) route.pods.splice(at, 1);
    if (route.pods.length > 0) return;
    const tasks = this.#names.get(route.name);
    tasks?.delete(route.task);
    if (tasks?.size === 0) this.#names.delete(route.name);
  }
}
