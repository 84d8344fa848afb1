import { PlatformStatus } from '../../contracts/management/status.ts';
import type { App } from '../../platform/http/service.ts';
import { describePlatform, type StatusDependencies } from './describe-platform.ts';

export function addStatusRoutes(app: App, deps: StatusDependencies): void {
  app.get(
    '/api/v1/status',
    {
      schema: {
        tags: ['status'],
        summary: 'Describe the platform: slots, pods, running jobs, bots, disk, memory, GPUs',
        response: { 200: PlatformStatus },
      },
    },
    () => describePlatform(deps),
  );
}
