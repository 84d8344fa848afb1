import { PlatformEvent } from '../../contracts/management/events.ts';
import type { App } from '../../platform/http/service.ts';
import { type EventSources, EventStream } from './event-stream.ts';

export function addEventRoutes(app: App, sources: EventSources): void {
  const events = new EventStream(sources);
  // Runs before the server waits for open requests, because these never end by themselves.
  app.addHook('preClose', async () => events.close());
  app.get(
    '/api/v1/events',
    {
      // A HEAD request would never end either.
      exposeHeadRoute: false,
      schema: {
        tags: ['events'],
        summary: 'Stream the changes of jobs and pods',
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
