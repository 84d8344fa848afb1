import type { Slot } from '../../../contracts/management/deployments.ts';
import type { Service } from '../../../platform/http/service.ts';
import { addInferenceRoutes, addSlotModelsRoute, type Inference, slotPaths } from '../../inference/routes.ts';
import type { DeploymentDependencies } from '../deployment-dependencies.ts';
import { addDeployRoutes } from '../routes.ts';

/** One slot with an API and a reference of its own. */
export function slotService(slot: Slot, deps: DeploymentDependencies, inference: Inference): Service {
  const prefix = `/api/${slot}`;
  return {
    name: `slot-${slot}`,
    title: `Roundhouse ${slot} slot`,
    description: `What is deployed to the ${slot} slot, and the model itself.`,
    docs: `${prefix}/docs`,
    surfaces: [{ prefix, shape: 'management' }],
    access: { scope: 'inference', openable: true },
    async routes(app) {
      addDeployRoutes(app, prefix, slot, deps);
      addSlotModelsRoute(app, prefix, () => deps.directory.names(slot), inference);
      await addInferenceRoutes(app, prefix, slotPaths[slot], inference);
    },
  };
}
