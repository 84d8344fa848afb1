import { UsageQuery, UsageReport } from '../../contracts/usage.ts';
import type { App } from '../../platform/http/service.ts';
import { reportUsage, type UsageDependencies } from '../../platform/metering/usage/report-usage.ts';

export function addOwnUsageRoute(app: App, deps: UsageDependencies): void {
  app.get(
    '/hosted/v1/usage',
    {
      schema: {
        tags: ['usage'],
        summary: 'Usage of this key by day and model',
        description: 'Days are in UTC. Default: the current month so far.',
        querystring: UsageQuery,
        response: { 200: UsageReport },
      },
    },
    ({ caller, query }) =>
      reportUsage(deps, { ...query, key: caller.kind === 'key' ? caller.id : 'anonymous' }),
  );
}
