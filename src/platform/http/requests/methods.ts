import { MethodNotAllowed } from '../../../contracts/problems.ts';
import type { App } from '../service.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

/** Records the methods of each path; `refuseOthers` then answers 405 with `Allow` to all others. */
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
          // Before the body is parsed, so that a bad body doesn't hide the wrong method.
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
