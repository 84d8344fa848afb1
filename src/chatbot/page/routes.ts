import { readFileSync } from 'node:fs';
import { BotId } from '../../contracts/document-index/bots.ts';
import type { App } from '../../platform/http/service.ts';

const script = 'text/javascript; charset=utf-8';
/** `assets` is no bot id, so that these names are free. */
const files: [name: string, type: string][] = [
  ['agent.css', 'text/css; charset=utf-8'],
  ...['agent', 'words', 'greeting', 'answer-events', 'show-answer'].map((name): [string, string] => [
    `${name}.js`,
    script,
  ]),
];

/** A chat page per bot. The page itself is the same for all and holds nothing secret: it asks for what it shows. */
export function addPageRoutes(app: App): void {
  const config = { access: 'public' } as const;
  const content = (name: string) => readFileSync(new URL(`./files/${name}`, import.meta.url), 'utf8');
  const page = content('agent.html');
  app.get('/agent/:bot_id', { config, schema: { hide: true } }, (request, reply) => {
    const { bot_id } = request.params as { bot_id: string };
    return reply
      .code(BotId.safeParse(bot_id).success ? 200 : 404)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(page);
  });
  for (const [name, type] of files) {
    const text = content(name);
    app.get(`/agent/assets/${name}`, { config, schema: { hide: true } }, (_request, reply) =>
      reply.type(type).header('cache-control', 'no-cache').send(text),
    );
  }
}
