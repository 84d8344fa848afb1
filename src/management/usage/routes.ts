import { AdminUsageQuery, UsageReport } from '../../contracts/usage.ts';
import type { App } from '../../platform/http/service.ts';
import { reportUsage, type UsageDependencies } from '../../platform/metering/usage/report-usage.ts';

export function addUsageRoute(app: App, deps: UsageDependencies): void {
  app.get(
    '/api/v1/usage',
    {
      schema: {
        tags: ['usage'],
        summary: 'Usage by day, key and model',
        description: 'Days are in UTC. Default: the current month so far.',
        querystring: AdminUsageQuery,
        response: { 200: UsageReport },
      },
    },
    (request) => reportUsage(deps, request.query),
  );
}
