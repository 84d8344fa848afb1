import { Histogram } from 'prom-client';
import type { Access } from '../../../contracts/surfaces.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { App } from '../service.ts';

/** Who can read the metrics: everybody, holders of an admin key, or nobody. */
export type MetricsReaders = 'public' | 'key' | 'off';

/** Measures request durations by route and status. By route, not path: each id in a path would create a new series. */
export function measureRequests(app: App, metrics: Metrics, readers: MetricsReaders): void {
  const duration = new Histogram({
    name: 'roundhouse_http_request_duration_seconds',
    help: 'Time from receiving a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
    registers: [metrics.registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  if (readers === 'off') return;
  const access: Access = readers === 'public' ? 'public' : { scope: 'admin', openable: false };
  app.get('/metrics', { config: { access }, schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
