import { seedOf } from '../routing/prefix-blocks.ts';
import type { Route, Waiter } from '../routing/route.ts';
import { WaitingLine } from '../routing/waiting-line.ts';
import type { RoutedPod } from './routed-pod.ts';

interface ModelRoute extends Route<RoutedPod> {
  readonly task: string;
  readonly pods: RoutedPod[];
  /** The base model of an adapter; null for a base model. */
  parent: string | null;
  /** When a pod first reported it. */
  readonly since: number;
}

/** Tasks whose pods can serve another task too: embeddings pods rerank by cosine similarity. */
const substitutes = new Map([['rerank', 'embeddings']]);

/** Indexes pods by every name under which their models can be requested. */
export class ModelIndex {
  readonly #names = new Map<string, Map<string, ModelRoute>>();
  /** What each pod was last indexed under, to detect changes. */
  readonly #listed = new Map<RoutedPod, string>();

  find(model: string, task: string): Route<RoutedPod> | 'wrong task' | undefined {
    const tasks = this.#names.get(model);
    if (!tasks) return undefined;
    const route =
      task === 'any' ? first(tasks.values()) : (tasks.get(task) ?? tasks.get(substitutes.get(task) ?? ''));
    if (!route) return 'wrong task';
    if (route.pods.length > 0 || route.waiting.size > 0) return route;
    this.#forget(route);
    return this.find(model, task);
  }

  /** For `any` task, models that chat come first: most platforms have one of them, and others beside it. */
  sole(task: string, isLive: (pod: RoutedPod) => boolean): string | undefined {
    const served = new Map<string, Set<string>>();
    for (const { name, adapter, pods, task: own } of this.routes()) {
      if (adapter || !pods.some((pod) => isLive(pod) && (pod.info.served_model_name || name) === name))
        continue;
      served.set(own, (served.get(own) ?? new Set()).add(name));
    }
    const any = served.get('llm') ?? new Set([...served.values()].flatMap((names) => [...names]));
    const names = task === 'any' ? any : (served.get(task) ?? new Set());
    return names.size === 1 ? first(names) : undefined;
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

  /** A name that no pod has any more is unknown again, unless requests wait for the pod to come back. */
  #leave(pod: RoutedPod, route: ModelRoute): void {
    const at = route.pods.indexOf(pod);
    if (at >= 0) route.pods.splice(at, 1);
    if (route.pods.length === 0 && route.waiting.size === 0) this.#forget(route);
  }

  #forget(route: ModelRoute): void {
    const tasks = this.#names.get(route.name);
    tasks?.delete(route.task);
    if (tasks?.size === 0) this.#names.delete(route.name);
  }
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}
