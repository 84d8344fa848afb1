import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import fastify, { type FastifyRequest, type FastifyServerFactory, LogController } from 'fastify';
import type { z } from 'zod';
import { InvalidInput } from '../../contracts/problems.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Tracing, tracingOff } from '../telemetry/tracing/tracing.ts';
import { type AccessRules, admit, anonymous } from './access.ts';
import { type Drain, drainable } from './drain.ts';
import { handleErrors, shapeFinder } from './errors/error-handling.ts';
import { toInputIssues } from './errors/input-issues.ts';
import type { RequestSource } from './foreign-requests.ts';
import { addHealthRoutes, addOtherHealthNames } from './health.ts';
import { addReference } from './openapi/reference.ts';
import { readJsonBodies } from './requests/json/json-body.ts';
import { watchMethods } from './requests/methods.ts';
import { requestIdFrom } from './requests/request-id.ts';
import { followRequests } from './requests/request-log.ts';
import { type MetricsReaders, measureRequests } from './requests/request-metrics.ts';
import { isStreamed } from './requests/streamed-body.ts';
import type { App, Readiness, Service } from './service.ts';

export interface AppOptions {
  services: Service[];
  logger: Logger;
  metrics: Metrics;
  /** Who can read them at `/metrics`; everybody, where absent. */
  metricsFor?: MetricsReaders;
  tracing?: Tracing;
  access: AccessRules;
  programVersion: string;
  http: { body_limit: number; cors_origins: string[] };
  /** Readiness checks of shared components such as the database, for `/readyz`. */
  parts?: Record<string, () => Readiness | Promise<Readiness>>;
  /** Runs before each request is handled. */
  beforeRequest?: ((method: string) => Promise<void>) | undefined;
  /** Creates the HTTP server, for parts that handle requests before Fastify. */
  serverFactory?: FastifyServerFactory | undefined;
}

export interface BuiltApp {
  app: App;
  drain: Drain;
  /** The OpenAPI document of each service, by name. */
  openapi: Map<string, () => unknown>;
}

/**
 * Mounts services on one server, with what they share: optional trailing slashes, request ids, error handling, body
 * limits, authentication, API references and health checks.
 */
export async function buildApp(options: AppOptions): Promise<BuiltApp> {
  const app = createServer(options);
  const drain = drainable(app);
  const methods = watchMethods(app);
  // Before every other hook, so that each answer has it, refusals and preflight answers too.
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });

  handleErrors(app, shapeFinder(options.services.flatMap(({ surfaces }) => surfaces)));
  readJsonBodies(app);
  letOversizedBodiesEnd(app);
  await secureResponses(app, options.http.cors_origins);
  followRequests(app, options.tracing ?? tracingOff);
  admitCallers(app, options);
  app.addHook('preHandler', async ({ method }) => options.beforeRequest?.(method));
  measureRequests(app, options.metrics, options.metricsFor ?? 'public');
  addHealthRoutes(app, options.services, { parts: options.parts ?? {}, draining: drain.draining });

  const openapi = new Map<string, () => unknown>();
  for (const service of options.services) {
    await app.register(async (scope) => {
      const typed = scope as App;
      // Registered first, because it documents only routes that are added after it.
      await addReference(typed, service, options.programVersion);
      typed.addHook('onRoute', (route) => {
        route.config = {
          access: isReferencePage(route.url, service) ? 'public' : service.access,
          ...route.config,
        };
      });
      await service.routes(typed);
      openapi.set(service.name, () => scope.swagger());
    });
    app.addHook('onClose', async () => service.close?.());
  }
  addOtherHealthNames(app);
  methods.refuseOthers();
  await app.ready();
  return { app, drain, openapi };
}

/**
 * Fastify closes the connection when it refuses a body, and the client, which is still sending, loses the answer to a
 * reset. The rest is read and dropped instead; Node's own time limit for requests bounds it.
 */
function letOversizedBodiesEnd(app: App): void {
  app.addHook('onSend', async ({ raw }, reply) => {
    if (reply.statusCode !== 413 || raw.complete) return;
    reply.removeHeader('connection');
    raw.resume();
  });
}

function createServer({ logger, http, serverFactory }: AppOptions): App {
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    bodyLimit: http.body_limit,
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    // Malformed request lines and headers fail before routing and never reach the error handler.
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(rawAnswer(error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400));
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      app.errorHandler(error, request, reply);
    },
    ...(serverFactory ? { serverFactory } : {}),
  }) as unknown as App;
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (data) => {
    if (isStreamed(schema)) return { value: data };
    const result = schema.safeParse(data);
    if (result.success) return { value: result.data };
    return { error: new InvalidInput(toInputIssues(result.error.issues, httpPart ?? 'body', data)) };
  });
  // TypeScript already checks responses against their schemas; checking them again at run time would slow down every call.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  return app;
}

function admitCallers(app: App, { access }: AppOptions): void {
  app.decorateRequest('caller');
  app.decorateRequest('isStillAdmitted', function () {
    try {
      admit(this.routeOptions.config.access ?? 'public', keyOf(this), access);
      return true;
    } catch {
      return false;
    }
  });
  app.addHook('onRequest', async (request) => {
    request.caller = anonymous;
    const refusal = access.refuseForeign?.(sourceOf(request));
    if (refusal) throw refusal;
    const needed = request.is404 ? 'public' : (request.routeOptions.config.access ?? 'public');
    request.caller = admit(needed, keyOf(request), access);
  });
}

function keyOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  const { keyHeader } = routeOptions.config;
  return headers.authorization ?? (keyHeader === undefined ? undefined : headers[keyHeader]?.toString());
}

const sourceOf = ({ method, headers }: FastifyRequest): RequestSource => ({
  method,
  host: headers.host,
  origin: headers.origin,
  fetchSite: headers['sec-fetch-site']?.toString(),
});

async function secureResponses(app: App, origins: string[]): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'frame-ancestors': ["'none'"],
      },
    },
    // HSTS is up to the proxy that terminates TLS.
    strictTransportSecurity: false,
    // Browsers ignore it over plain http and report an error. The pages open no windows and use no cookies.
    crossOriginOpenerPolicy: false,
  });
  if (origins.length > 0)
    await app.register(cors, {
      origin: origins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['x-request-id', 'x-roundhouse-pod'],
      // A plain OPTIONS request is answered too.
      strictPreflight: false,
    });
}

const isReferencePage = (url: string, service: Service) =>
  service.docs !== undefined && url.startsWith(service.docs.replace(/\/$/, ''));

const rawAnswer = (status: number) => {
  const reason = status === 431 ? 'Request Header Fields Too Large' : 'Bad Request';
  const body = JSON.stringify({
    error: { message: reason, type: 'invalid_request_error', param: null, code: null },
  });
  return `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nx-request-id: ${requestIdFrom(undefined)}\r\n\r\n${body}`;
};
