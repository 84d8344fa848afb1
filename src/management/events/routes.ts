import { PlatformEvent } from '../../contracts/management/events.ts';
import type { App } from '../../platform/http/service.ts';
import { type EventSources, EventStream } from './event-stream.ts';

export function addEventRoutes(app: App, sources: EventSources): void {
  const events = new EventStream(sources);
  // Before the server waits for its requests to end, since these never do.
  app.addHook('preClose', async () => events.close());
  app.get(
    '/api/v1/events',
    {
      // An answer to HEAD would never end either.
      exposeHeadRoute: false,
      schema: {
        tags: ['events'],
        summary: 'Follow every change of jobs and pods',
        description: 'Server-sent events; each carries the record after the change.',
        produces: ['text/event-stream'],
        response: { 200: PlatformEvent },
      },
    },
    (request, reply) => {
      reply.hijack();
      events.add(reply.raw, { 'x-request-id': request.id }, () => request.isStillAdmitted());
      request.raw.once('close', () => reply.raw.end());
    },
  );
}
