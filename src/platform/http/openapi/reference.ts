import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyRequest } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { shapeFinder } from '../errors/error-handling.ts';
import type { App, Service } from '../service.ts';
import { accessKey, addErrorResponses } from './error-responses.ts';
import { tidyComponents } from './openapi-components.ts';
import { describePlainly } from './openapi-schemas.ts';

const zodToJsonConfig = { override: describePlainly };
const transform = createJsonSchemaTransform({ zodToJsonConfig });
const transformObject = createJsonSchemaTransformObject({ zodToJsonConfig });

/**
 * The package's own policy allows other hosts, and upgrades requests to https, which breaks the page at a plain http
 * address of a network. Swagger UI sets inline styles from its script.
 */
const contentPolicy = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'font-src': ["'self'", 'data:'],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'style-src': ["'self'", "'unsafe-inline'"],
};

/** Generates the OpenAPI document from the mounted routes, and serves it beside the interactive reference. */
export async function addReference(app: App, service: Service, programVersion: string): Promise<void> {
  const shapeOf = shapeFinder(service.surfaces);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: service.title,
        description: service.description,
        version: service.version ?? programVersion,
        license: { name: 'Apache-2.0' },
      },
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A Roundhouse key (rh-…).' } },
      },
      ...(service.access === 'public'
        ? {}
        : { security: [{ key: [] }, ...(service.access.openable ? [{}] : [])] }),
    },
    transform: (input) => {
      const { schema, url } = transform(input);
      const access = input.route.config?.access;
      return { url, schema: { ...schema, ...(access ? { [accessKey]: access } : {}) } };
    },
    transformObject: (document) => tidyComponents(addErrorResponses(transformObject(document), shapeOf)),
  });
  if (!service.docs) return;
  const { reference } = service;
  app.get(
    service.docs.replace(/\/docs$/, '/openapi.json'),
    { config: { access: 'public' }, schema: { hide: true } },
    ({ params }) => {
      reference?.check(params);
      const document = app.swagger();
      return reference
        ? reference.describe(document as unknown as Record<string, unknown>, params)
        : document;
    },
  );
  await app.register(swaggerUi, {
    routePrefix: service.docs,
    ...(reference
      ? {
          uiHooks: {
            // Without a trailing slash the page refers to the files of the route, not of its own path.
            onRequest: async ({ url, params }: FastifyRequest) => {
              if (!url.includes('/docs/static/')) reference.check(params);
            },
          },
          transformSpecification: (document: Readonly<Record<string, unknown>>, { params }: FastifyRequest) =>
            reference.describe(document, params),
        }
      : {}),
    staticCSP: contentPolicy,
    uiConfig: { layout: 'BaseLayout', deepLinking: true, persistAuthorization: true, tryItOutEnabled: true },
    theme: { title: `${service.title} · Roundhouse` },
  });
}
