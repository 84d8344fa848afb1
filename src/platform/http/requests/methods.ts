import { MethodNotAllowed } from '../../../contracts/problems.ts';
import type { App } from '../service.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

/** Remembers which methods each path takes; `refuseOthers` then answers 405 to the rest, with `Allow`. */
export function watchMethods(app: App): { refuseOthers(): void } {
  const taken = new Map<string, Set<string>>();
  let watching = true;
  app.addHook('onRoute', ({ url, method }) => {
    if (!watching) return;
    const path = url.length > 1 ? url.replace(/\/$/, '') : url;
    const known = taken.get(path) ?? new Set<string>();
    taken.set(path, known);
    for (const name of [method].flat()) known.add(name);
  });
  return {
    refuseOthers() {
      watching = false;
      for (const [url, known] of taken) {
        const allow = [...known].sort().join(', ');
        const others = methods.filter((name): name is Method => !known.has(name));
        if (others.length === 0 || url.includes('*')) continue;
        app.route({
          method: others,
          url,
          config: { access: 'public' },
          schema: { hide: true },
          // Before the body is read or refused: the method is what is wrong.
          onRequest: (request) => {
            throw new MethodNotAllowed(`${request.method} is not allowed here; use ${allow}`, {
              headers: { allow },
            });
          },
          handler: () => undefined,
        });
      }
    },
  };
}
