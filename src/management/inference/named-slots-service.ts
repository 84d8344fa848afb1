import { Slot, SlotPath } from '../../contracts/management/deployments.ts';
import { InvalidInput, NotFound } from '../../contracts/problems.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';
import type { Service } from '../../platform/http/service.ts';
import type { InferenceFront, ServedSurface } from '../../platform/inference/inference-front.ts';
import { addInferenceRoutes } from '../../platform/inference/inference-routes.ts';
import type { DeploymentDependencies } from '../deployments/deploying/deployment-dependencies.ts';
import { addDeployRoutes } from '../deployments/routes.ts';
import { addSlotModelsRoute, deployedPaths, inferenceShapes } from './routes.ts';

interface NamedSlotsDependencies {
  deployments: DeploymentDependencies;
  front: Pick<InferenceFront, 'models'>;
  /** The surfaces of all slots that have a deployment. */
  surfaces: ReadonlyMap<Slot, ServedSurface>;
}

const prefix = '/api/:slot';

/** The API of the slots that deployments name. The routes take any name, since none can be added while serving. */
export function namedSlotsService({ deployments, front, surfaces }: NamedSlotsDependencies): Service {
  const nameIn = (params: unknown) => (params as SlotPath).slot;
  const existing = (params: unknown) => {
    const slot = nameIn(params);
    const surface = surfaces.get(slot);
    if (!surface) throw new NotFound('slot', slot, { words: `there is no slot '${slot}'` });
    return { slot, surface };
  };
  return {
    name: 'slot-named',
    title: 'Roundhouse named slots',
    description: 'The deployment of a slot that was named when it was made, and inference with its model.',
    docs: `${prefix}/docs`,
    reference: {
      check: existing,
      describe: (document, params) => forSlot(document, nameIn(params)),
    },
    surfaces: [{ prefix, shape: 'management' }, ...inferenceShapes(prefix, deployedPaths)],
    access: { scope: 'inference', openable: true },
    async routes(app) {
      const named = { label: 'named slot', params: SlotPath, find: nameIn, forDeployment: validName };
      addDeployRoutes(app, prefix, named, deployments);
      const namesOf = (params: unknown) => deployments.directory.names(existing(params).slot);
      addSlotModelsRoute(app, prefix, namesOf, front, SlotPath);
      await addInferenceRoutes(app, prefix, deployedPaths, (params) => existing(params).surface, {
        params: SlotPath,
      });
    },
  };
}

/** The slot that a deployment makes. */
function validName(params: unknown): Slot {
  const { slot } = params as SlotPath;
  const parsed = Slot.safeParse(slot);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['slot'] }));
  throw new InvalidInput(toInputIssues(issues, 'params', { slot }));
}

/** The document of one slot: its name in place of the parameter. */
function forSlot<Document>(document: Document, slot: string): Document {
  const {
    paths = {},
    info,
    ...rest
  } = document as {
    paths?: Record<string, Record<string, { parameters?: { name: string }[] }>>;
    info: { title: string };
  };
  const withName = Object.entries(paths).map(([path, operations]) => [
    path.replace('{slot}', slot),
    Object.fromEntries(
      Object.entries(operations).map(([method, { parameters = [], ...operation }]) => [
        method,
        { ...operation, parameters: parameters.filter(({ name }) => name !== 'slot') },
      ]),
    ),
  ]);
  const title = `Roundhouse ${slot} slot`;
  return { ...rest, info: { ...info, title }, paths: Object.fromEntries(withName) } as Document;
}
