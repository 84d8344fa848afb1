import type { Clock } from '../../../contracts/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { PodRegistry } from '../registry.ts';
import type { RoutedPod } from '../routed-pod.ts';
import { deletePods, listPods, savePods } from './pods-store.ts';

export interface KeepingDependencies {
  database: Database;
  registry: PodRegistry;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Whether a pod that has not reported here responds. */
  probe(pod: RoutedPod): Promise<boolean>;
  /** How long to keep the record of a pod that no longer reports, in milliseconds. */
  retention: number;
  /** How long a report counts. */
  ttl: number;
  /** Runs with each round. */
  alsoEach?(): Promise<void>;
  every?: number;
}

/** Maximum assumed clock difference between dispatchers that share a database, in milliseconds. */
const clockSkew = 5000;

/**
 * Synchronises the registry with the database: probes the pods known before a restart, writes reports in batches, and
 * reads reports that other dispatchers on the same database received.
 */
export async function keepPods(deps: KeepingDependencies): Promise<{ close(): Promise<void> }> {
  const { database, registry, clock, logger } = deps;
  const changed = new Set<RoutedPod>();
  const forgotten = new Set<string>();
  let adopting = false;
  let failing = false;

  const stored = await listPods(database);
  const restored = stored.map(({ info, reportedAt, retired }) =>
    registry.restore({ ...info, retired }, reportedAt),
  );
  let lookedUpTo = Math.max(0, ...stored.map(({ reportedAt }) => reportedAt));

  registry.listen({
    changed: (pod) => {
      if (!adopting) changed.add(pod);
    },
    forgotten: (pod) => {
      changed.delete(pod);
      forgotten.add(pod.id);
    },
  });
  for (const pod of restored) {
    if (!pod.info.dead && pod.address !== '') void revive(deps, pod);
  }

  async function write(): Promise<void> {
    const pods = [...changed];
    const gone = [...forgotten];
    changed.clear();
    forgotten.clear();
    if (pods.length === 0 && gone.length === 0) return;
    try {
      await database.transaction(async (session) => {
        await savePods(session, pods);
        await deletePods(session, gone);
      });
    } catch (error) {
      // Kept for the next round.
      for (const pod of pods) if (registry.get(pod.id) === pod) changed.add(pod);
      for (const id of gone) if (!registry.get(id)) forgotten.add(id);
      throw error;
    }
  }

  /** Reads reports that other dispatchers received. */
  async function adopt(): Promise<void> {
    if (database.exclusive) return;
    for (const { info, reportedAt, retired } of await listPods(database, lookedUpTo - clockSkew)) {
      lookedUpTo = Math.max(lookedUpTo, reportedAt);
      const known = registry.get(info.pod_id);
      adopting = true;
      if (!known || known.reportedAt < reportedAt) {
        registry.adopt({ ...info, retired: retired || known?.info.retired }, reportedAt);
      } else if (retired && !known.info.retired) registry.retire(info.pod_id);
      adopting = false;
    }
  }

  /**
   * While the database is away, nothing is heard of pods that report to other dispatchers: those that are about to
   * expire are asked themselves.
   */
  async function probeSilent(): Promise<void> {
    const now = clock.now();
    const silent = Array.from(registry.all()).filter(
      (pod) => registry.isLive(pod) && pod.expiresAt - now < deps.ttl / 2,
    );
    await Promise.all(silent.map((pod) => revive(deps, pod)));
  }

  async function tick(): Promise<void> {
    registry.decay();
    registry.forgetBefore(clock.now() - deps.retention);
    await write();
    await adopt();
    await deps.alsoEach?.();
  }

  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(tick).then(
      () => {
        failing = false;
      },
      async (error: unknown) => {
        if (!failing)
          logger.warn({ err: error }, 'could not synchronise pod records with the database; retrying');
        failing = true;
        await probeSilent();
      },
    );
  }, deps.every ?? 1000).unref();

  return {
    async close() {
      clearInterval(timer);
      await running;
      await write();
    },
  };
}

async function revive({ registry, probe }: KeepingDependencies, pod: RoutedPod): Promise<void> {
  const reportedAt = pod.reportedAt;
  const answers = await probe(pod).catch(() => false);
  // The pod may have reported during the probe, even that it is shutting down.
  if (answers && pod.reportedAt === reportedAt && registry.get(pod.id) === pod) registry.seen(pod);
}
