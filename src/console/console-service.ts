import { readFileSync } from 'node:fs';
import type { Service } from '../platform/http/service.ts';

const files = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/console/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/console/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/console/talk.js': { file: 'talk.js', type: 'text/javascript; charset=utf-8' },
};

/** The page at the front door: what runs here, and where everything is. */
export function consoleService(): Service {
  return {
    name: 'console',
    title: 'Roundhouse console',
    description: 'The page at the front door.',
    surfaces: [],
    access: 'public',
    routes(app) {
      for (const [path, { file, type }] of Object.entries(files)) {
        const content = readFileSync(new URL(`./page/${file}`, import.meta.url), 'utf8');
        app.get(path, { schema: { hide: true } }, (_request, reply) =>
          reply.type(type).header('cache-control', 'no-cache').send(content),
        );
      }
    },
  };
}
