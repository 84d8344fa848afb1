import { Slot } from '../../contracts/management/deployments.ts';
import type { Service } from '../../platform/http/service.ts';
import type { WorkKind } from '../../platform/queue/work-kind.ts';
import { inferenceService } from '../inference/inference-service.ts';
import type { Inference } from '../inference/routes.ts';
import type { ManagementSettings } from '../settings.ts';
import { deployKind } from './deploy-kind.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { Retirement } from './pods/retire-pods.ts';
import { resumeDeployments } from './resume-deployments.ts';
import { slotService } from './slots/slot-service.ts';
import { starterDeployments } from './slots/starters.ts';

interface OpenDependencies extends Omit<DeploymentDependencies, 'settings' | 'retirement'> {
  config: Pick<ManagementSettings, 'deployments'>;
  inference: Inference;
}

export interface Deployments {
  /** What the routes below `/api/v1` need. */
  routes: { deployments: DeploymentDependencies; inference: Inference };
  /** Each slot by itself, and the deployed chat model. */
  services: Service[];
  work: { DEPLOY: WorkKind };
  starters: ReturnType<typeof starterDeployments>;
  /** Brings back what was deployed; once the address is known that pods report to. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Everything about deployments: what serves, how it is replaced, and how requests reach it. */
export function openDeployments({ inference, config, ...parts }: OpenDependencies): Deployments {
  const retirement = new Retirement(parts);
  const deployments = { ...parts, settings: config.deployments, retirement };
  return {
    routes: { deployments, inference },
    services: [
      ...Slot.options.map((slot) => slotService(slot, deployments, inference)),
      inferenceService({ inference, directory: parts.directory }),
    ],
    work: { DEPLOY: deployKind(deployments) as WorkKind },
    starters: starterDeployments(deployments),
    resume: () => resumeDeployments(deployments),
    async close() {
      parts.directory.close();
      await retirement.close();
    },
  };
}
