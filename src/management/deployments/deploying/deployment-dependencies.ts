import type { Clock } from '../../../contracts/clock.ts';
import type { DispatcherPods, PodRunner } from '../../../contracts/launching.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WorkQueue } from '../../../platform/queue/work-queue.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { ManagementSettings } from '../../settings.ts';
import type { PlanningDependencies } from '../planning/plan-deployment.ts';
import type { Retirement } from '../pods/retire-pods.ts';
import type { SlotDirectory } from '../records/slot-directory.ts';

export interface DeploymentDependencies extends PlanningDependencies {
  database: Database;
  queue: Pick<WorkQueue, 'enqueue' | 'list' | 'active' | 'cancel' | 'get'>;
  clock: Clock;
  /** The machine that this platform's pods belong to. */
  machine: string;
  logger: Logger;
  settings: ManagementSettings['deployments'];
  launcher: PodRunner;
  dispatcherPods: DispatcherPods;
  directory: SlotDirectory;
  retirement: Retirement;
}
