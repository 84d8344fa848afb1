import { createHash } from 'node:crypto';
import type { Model } from '../../contracts/openai/models.ts';
import { BadRequest, NotFound } from '../../contracts/problems.ts';
import type { Engine } from '../engine.ts';

/** The names under which a pod's model can be requested. */
export interface ServedModel {
  /** As given at start: a model id, a folder or a file. */
  model_name: string;
  served_model_name: string;
  task: string;
}

/** The adapter that a request's `model` names; undefined for the base model. */
export function adapterFor(served: ServedModel, engine: Engine, model: string): string | undefined {
  if (model === served.served_model_name || model === served.model_name) return undefined;
  if ('adapters' in engine && engine.adapters().includes(model)) return model;
  throw new NotFound('model', model, { code: 'model_not_found', param: 'model' });
}

export function listModels(served: ServedModel, engine: Engine, created: number): Model[] {
  const length = engine.facts.contextLength;
  const entry = (id: string, root: string, parent: string | null): Model => ({
    id,
    object: 'model',
    created,
    owned_by: 'roundhouse',
    root,
    parent,
    permission: [],
    ...(length === undefined ? {} : { max_model_len: length }),
  });
  const base = served.served_model_name;
  const adapters = 'adapters' in engine ? engine.adapters() : [];
  return [entry(base, served.model_name, null), ...adapters.map((name) => entry(name, name, base))];
}

/** Changes when the same request may get a different answer: another engine, model or precision. */
export function fingerprintOf(served: ServedModel, engine: Engine, version: string): string {
  const { engine: name, architecture, quantization, parameters, weightBytes } = engine.facts;
  const what = [version, served.model_name, name, architecture, quantization, parameters, weightBytes];
  return `fp_${createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 10)}`;
}

/** Returns the engine as one of the kinds that an endpoint needs, or throws. */
export function needs<Kind extends Engine['kind']>(
  engine: Engine,
  kinds: readonly Kind[],
  endpoint: string,
): Extract<Engine, { kind: Kind }> {
  if ((kinds as readonly string[]).includes(engine.kind)) return engine as Extract<Engine, { kind: Kind }>;
  throw new BadRequest(`this model serves ${purposes[engine.kind]}; it does not support ${endpoint}`, {
    code: 'task_mismatch',
    param: 'model',
  });
}

const purposes: Record<Engine['kind'], string> = {
  language: 'chat and text completions',
  embedding: 'embeddings',
  rerank: 'reranking',
  upstream: 'the endpoints of the server behind it',
};
