import { z } from 'zod';
import type { App, Readiness, Service } from './service.ts';

const ReadyAnswer = z
  .object({
    status: z.enum(['ready', 'not ready', 'draining']),
    parts: z.record(z.string(), z.object({ ready: z.boolean(), detail: z.string().optional() })),
  })
  .meta({ id: 'ReadyAnswer', description: 'Whether the process is ready, with the state of each part.' });

export interface Health {
  /** Checks in addition to those of the services: the database, the blob store. */
  parts: Record<string, () => Readiness | Promise<Readiness>>;
  draining(): boolean;
}

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
export function addHealthRoutes(app: App, services: readonly Service[], health: Health): void {
  const checks = { ...health.parts };
  for (const service of services)
    if (service.ready) checks[service.name] = () => service.ready?.() ?? { ready: true };

  app.get('/healthz', { config: { access: 'public' }, schema: { hide: true } }, () => ({ status: 'ok' }));

  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: { hide: true, response: { 200: ReadyAnswer, 503: ReadyAnswer } },
    },
    async (_request, reply) => {
      const parts = Object.fromEntries(
        await Promise.all(
          Object.entries(checks).map(async ([name, check]) => [name, await settle(check)] as const),
        ),
      );
      const ready = Object.values(parts).every((part) => part.ready);
      const status = health.draining() ? 'draining' : ready ? 'ready' : 'not ready';
      return reply.code(status === 'ready' ? 200 : 503).send({ status, parts });
    },
  );
}

async function settle(check: () => Readiness | Promise<Readiness>): Promise<Readiness> {
  try {
    return await check();
  } catch (error) {
    return { ready: false, detail: (error as Error).message };
  }
}
