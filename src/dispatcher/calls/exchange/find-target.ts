import type { Problem } from '../../../contracts/problems.ts';
import type { InferenceSurface } from '../../../contracts/surfaces.ts';
import { botPrefix } from '../../../platform/inference/answering-models.ts';
import { servedName } from '../../../platform/inference/inference-front.ts';
import type { RoutedPod } from '../../pods/routed-pod.ts';
import type { Route } from '../../routing/route.ts';
import type { Endpoint } from '../reading/endpoints.ts';
import type { ProxyContext } from './context.ts';
import { noSoleModel, unknownModel, wrongTask } from './refusals.ts';

interface TargetedRequest {
  context: Pick<ProxyContext, 'directory' | 'answering' | 'mainThread'>;
  surface: InferenceSurface;
  endpoint: Endpoint;
}

/** What answers a request: the pods of a route, or a bot where there is none. */
interface Target {
  /** The name that the caller used, and the one that it stands for. */
  named: string;
  served: string;
  route: Route<RoutedPod> | undefined;
  problem?: undefined;
}

interface NoTarget {
  /** What is known of the model's name. */
  served: string;
  problem: Problem;
}

/** Finds what answers a request for a model. `onlyBots` is the refusal of everything else, for a key that needs one. */
export function findTarget(
  { context, surface, endpoint }: TargetedRequest,
  model: string,
  onlyBots: Problem | undefined,
): Target | NoTarget {
  const { directory, answering, mainThread } = context;
  const named = model || (surface.only?.[0] ?? directory.soleModel(endpoint.task));
  if (named === undefined) return { served: '', problem: noSoleModel() };
  const served = servedName(surface, named);
  if (served === undefined) return { served: named, problem: unknownModel(named) };
  if (served.startsWith(botPrefix)) {
    // Only the main thread has bots.
    if (!surface.bots || !(answering || mainThread)) return { served, problem: unknownModel(named) };
    if (endpoint.path !== '/v1/chat/completions') return { served, problem: wrongTask(named, endpoint) };
    return { named, served, route: undefined };
  }
  if (onlyBots) return { served, problem: onlyBots };
  const route = directory.find(served, endpoint.task);
  if (route === undefined) return { served, problem: unknownModel(named) };
  if (route === 'wrong task') return { served, problem: wrongTask(named, endpoint) };
  return { named, served, route };
}
