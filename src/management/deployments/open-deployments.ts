import type { WorkKind } from '../../platform/queue/work-kind.ts';
import type { ManagementSettings } from '../settings.ts';
import type { DeploymentDependencies } from './deploying/deployment-dependencies.ts';
import { resumeDeployments } from './deploying/resume-deployments.ts';
import { deployKind } from './deploying/rollout/deploy-kind.ts';
import { starterDeployments } from './deploying/starters.ts';
import { stopOwnPods } from './deploying/stop-own-pods.ts';
import { Retirement } from './pods/retire-pods.ts';

interface OpenDependencies extends Omit<DeploymentDependencies, 'settings' | 'retirement' | 'machine'> {
  config: Pick<ManagementSettings, 'deployments'> & { machine: string };
}

export interface Deployments {
  /** Dependencies of the routes. */
  routes: DeploymentDependencies;
  work: { DEPLOY: WorkKind };
  starters: ReturnType<typeof starterDeployments>;
  /** Restarts what was deployed. The address that pods report to must be known by then. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

export function openDeployments({ config, ...parts }: OpenDependencies): Deployments {
  const { machine } = config;
  const retirement = new Retirement({ ...parts, machine });
  const deployments = { ...parts, settings: config.deployments, retirement, machine };
  let stopping: ReturnType<typeof stopOwnPods> | undefined;
  return {
    routes: deployments,
    work: { DEPLOY: deployKind(deployments) as WorkKind },
    starters: starterDeployments(deployments),
    async resume() {
      await resumeDeployments(deployments);
      stopping = stopOwnPods(deployments);
    },
    async close() {
      stopping?.close();
      parts.directory.close();
      await retirement.close();
    },
  };
}
