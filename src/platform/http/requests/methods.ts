import { MethodNotAllowed } from '../../../contracts/problems.ts';
import type { App } from '../service.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const;
type Method = (typeof methods)[number];

/** Records the methods of each path. `refuseOthers` then answers OPTIONS, and 405 to all others, with `Allow`. */
export function watchMethods(app: App): { refuseOthers(): void } {
  const taken = new Map<string, { url: string; known: Set<string> }>();
  let watching = true;
  app.addHook('onRoute', ({ url, method }) => {
    if (!watching) return;
    const path = url.length > 1 ? url.replace(/\/$/, '') : url;
    // A parameter may have another name under another method.
    const pattern = path.replaceAll(/:\w+/g, ':');
    const entry = taken.get(pattern) ?? { url: path, known: new Set<string>() };
    taken.set(pattern, entry);
    for (const name of [method].flat()) entry.known.add(name);
  });
  return {
    refuseOthers() {
      watching = false;
      for (const { url, known } of taken.values()) {
        const served = [...known].sort().join(', ');
        const allow = [...new Set([...known, 'OPTIONS'])].sort().join(', ');
        const others = methods.filter((name): name is Method => !known.has(name));
        if (url.includes('*')) continue;
        const hidden = { url, config: { access: 'public' }, schema: { hide: true } } as const;
        if (!known.has('OPTIONS')) {
          app.options(url, hidden, (_request, reply) => reply.code(204).header('allow', allow).send());
        }
        if (others.length === 0) continue;
        app.route({
          method: others,
          ...hidden,
          // Before the body is parsed, so that a bad body doesn't hide the wrong method.
          onRequest: (request) => {
            throw new MethodNotAllowed(`${request.method} is not allowed here; use ${served}`, {
              headers: { allow },
            });
          },
          handler: () => undefined,
        });
      }
    },
  };
}
