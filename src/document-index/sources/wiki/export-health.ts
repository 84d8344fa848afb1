const mostFailures = 3;
const pause = 10 * 60_000;
const mostSystems = 100;

/**
 * Remembers systems whose PDF export keeps failing, so that not every page is asked for twice. One page that can't be
 * exported says nothing about the others.
 */
export function createExportHealth(now: () => number = Date.now) {
  const failing = new Map<string, { failures: number; at: number }>();
  return {
    works: (base: string): boolean => {
      const { failures, at } = failing.get(base) ?? { failures: 0, at: 0 };
      return failures < mostFailures || now() - at > pause;
    },
    note(base: string, succeeded: boolean): void {
      const failures = succeeded ? 0 : (failing.get(base)?.failures ?? 0) + 1;
      failing.delete(base);
      if (failures > 0) failing.set(base, { failures, at: now() });
      if (failing.size > mostSystems) failing.delete(failing.keys().next().value ?? '');
    },
  };
}
