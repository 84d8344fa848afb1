import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InferencePath } from '../../contracts/inference-endpoints.ts';
import type { Model, ModelResponse } from '../../contracts/openai/models.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import type { Caller } from '../http/access.ts';
import { botPrefix } from './answering-models.ts';

/** Serves the inference endpoints for other parts: in this process where the dispatcher runs, else over HTTP. */
export interface InferenceFront {
  /** Serves the endpoints below the surface's prefix. */
  addSurface(surface: InferenceSurface): ServedSurface;
  /** The models of pods that can be called now. */
  models(): Promise<ModelResponse>;
  /** The bots that the caller may use as models. */
  bots(caller: Caller): Promise<Model[]>;
}

export interface ServedSurface {
  /** Changes which models can be called here, and under which names. */
  rename(names: Pick<InferenceSurface, 'aliases' | 'only'>): void;
  /** Stops serving the endpoints. */
  remove(): void;
  /** Answers a request that reached the web framework. The route has identified and admitted the caller. */
  answer(request: IncomingMessage, response: ServerResponse, path: InferencePath, caller: Caller): void;
}

/** The served model that a name means on a surface; undefined where the surface does not offer it. */
export function servedName(
  { aliases, only, bots = false }: Pick<InferenceSurface, 'aliases' | 'only' | 'bots'>,
  model: string,
): string | undefined {
  const served = aliases.get(model) ?? model;
  if (!only || only.includes(served)) return served;
  return bots && served.startsWith(botPrefix) ? served : undefined;
}
