import { setTimeout as sleep } from 'node:timers/promises';
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

/** The names under which clients and load balancers of other servers ask whether the process is alive. */
const otherNames = ['/health', '/ping'];

/** Added last: a service may answer one of the names itself, as a pod does. */
export function addOtherHealthNames(app: App): void {
  for (const url of otherNames) {
    if (app.hasRoute({ method: 'GET', url })) continue;
    app.get(url, { config: { access: 'public' }, schema: { hide: true } }, alive);
  }
}

const alive = () => ({ status: 'ok' });

/** `/healthz`: the process is alive. `/readyz`: it can serve requests. */
export function addHealthRoutes(app: App, services: readonly Service[], health: Health): void {
  const checks: Record<string, () => Promise<Readiness>> = {};
  for (const [name, check] of Object.entries(health.parts)) checks[name] = withinLimit(check);
  for (const service of services)
    if (service.ready) checks[service.name] = withinLimit(() => service.ready?.() ?? { ready: true });

  app.get('/healthz', { config: { access: 'public' }, schema: { hide: true } }, alive);

  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: { hide: true, response: { 200: ReadyAnswer, 503: ReadyAnswer } },
    },
    async (_request, reply) => {
      const parts = Object.fromEntries(
        await Promise.all(
          Object.entries(checks).map(async ([name, check]) => [name, await check()] as const),
        ),
      );
      const ready = Object.values(parts).every((part) => part.ready);
      const status = health.draining() ? 'draining' : ready ? 'ready' : 'not ready';
      return reply.code(status === 'ready' ? 200 : 503).send({ status, parts });
    },
  );
}

type Check = () => Readiness | Promise<Readiness>;

/** How long a check may take; a database that hangs would otherwise keep `/readyz` from answering. */
const checkLimit = 2000;

/** A check with a time limit. While it hangs it is not started again, so that it does not use up connections. */
function withinLimit(check: Check): () => Promise<Readiness> {
  let running: Promise<Readiness> | undefined;
  return async () => {
    running ??= settle(check).finally(() => {
      running = undefined;
    });
    const timer = new AbortController();
    const late = sleep(
      checkLimit,
      { ready: false, detail: `no answer within ${checkLimit / 1000} s` },
      { signal: timer.signal },
    );
    return Promise.race([running, late]).finally(() => timer.abort());
  };
}

async function settle(check: Check): Promise<Readiness> {
  try {
    return await check();
  } catch (error) {
    return { ready: false, detail: (error as Error).message };
  }
}
