import type { FixedSlot } from '../../contracts/management/deployments.ts';
import type { Service } from '../../platform/http/service.ts';
import type { InferenceFront, ServedSurface } from '../../platform/inference/inference-front.ts';
import { addInferenceRoutes } from '../../platform/inference/inference-routes.ts';
import type { DeploymentDependencies } from '../deployments/deploying/deployment-dependencies.ts';
import { addDeployRoutes, oneSlot } from '../deployments/routes.ts';
import { addSlotModelsRoute, inferenceShapes, slotPaths } from './routes.ts';

interface SlotServiceDependencies {
  deployments: DeploymentDependencies;
  front: Pick<InferenceFront, 'models'>;
  surface: ServedSurface;
}

/** The API of a slot that always exists, with its own reference page. */
export function slotService(
  slot: FixedSlot,
  { deployments, front, surface }: SlotServiceDependencies,
): Service {
  const prefix = `/api/${slot}`;
  return {
    name: `slot-${slot}`,
    title: `Roundhouse ${slot} slot`,
    description: `The deployment of the ${slot} slot, and inference with its model.`,
    docs: `${prefix}/docs`,
    surfaces: [{ prefix, shape: 'management' }, ...inferenceShapes(prefix, slotPaths[slot])],
    access: { scope: 'inference', openable: true },
    async routes(app) {
      addDeployRoutes(app, prefix, oneSlot(slot), deployments);
      addSlotModelsRoute(app, prefix, () => deployments.directory.names(slot), front);
      await addInferenceRoutes(app, prefix, slotPaths[slot], () => surface);
    },
  };
}
