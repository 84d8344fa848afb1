import { readFileSync } from 'node:fs';
import type { Service } from '../platform/http/service.ts';
import type { Part } from '../platform/parts/part.ts';

const files = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/console/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  ...Object.fromEntries(
    ['answer', 'answer-limits', 'bots', 'key', 'page', 'talk'].map((name) => [
      `/console/${name}.js`,
      { file: `${name}.js`, type: 'text/javascript; charset=utf-8' },
    ]),
  ),
};

/** The front page: status, served models, a chat, and links to the API references. */
export function openConsole(): Part {
  const service: Service = {
    name: 'console',
    title: 'Roundhouse console',
    description: 'The front page.',
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
  return { services: [service] };
}
