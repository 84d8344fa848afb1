import {
  DetailError,
  HTTPValidationError,
  IndexError,
  InferenceError,
  OpenAIError,
} from '../../../contracts/errors.ts';
import type { Access, ErrorShape } from '../../../contracts/surfaces.ts';

/** The key under which a route's access is passed through to its operation. It is removed from the final document. */
export const accessKey = 'x-access';

interface Operation {
  parameters?: { in: string }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description: string; content?: Record<string, unknown> }>;
  [accessKey]?: Access;
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, unknown> };
}

const descriptions: Record<number, string> = {
  400: 'The request does not fit',
  401: 'No key, or one that is unknown, expired or revoked',
  403: 'The key lacks the scope, or the request comes from a foreign web page',
  404: 'Not found',
  409: 'In conflict with the present state',
  413: 'The body is too large',
  422: 'The request does not fit',
  429: 'Over a limit of the key; see Retry-After',
  503: 'Not possible at present; see Retry-After',
};

const idOf = (schema: { meta(): { id?: string } | undefined }) => schema.meta()?.id as string;

const errors: Record<ErrorShape, string> = {
  openai: idOf(OpenAIError),
  dispatcher: idOf(OpenAIError),
  management: idOf(DetailError),
  'management-inference': idOf(InferenceError),
  layout: idOf(DetailError),
  index: idOf(IndexError),
};

/** Adds the errors that follow from a route's access, input and error shape, unless the route describes them itself. */
export function addErrorResponses<D extends object>(document: D, shapeOf: (path: string) => ErrorShape): D {
  const { paths = {}, components } = document as Document;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const access = operation[accessKey] ?? 'public';
      delete operation[accessKey];
      const shape = shapeOf(path);
      operation.responses ??= {};
      for (const status of statusesOf(method, path, operation, access, shape)) {
        const id = status === 422 && shape !== 'index' ? idOf(HTTPValidationError) : errors[shape];
        operation.responses[status] ??= {
          description: descriptions[status] ?? 'Error',
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${id}` } } },
        };
      }
      const content = operation.responses[200]?.content;
      if (content && canStream(operation, components?.schemas)) content['text/event-stream'] ??= events;
    }
  }
  return document;
}

const events = { schema: { type: 'string', description: 'Server-sent events, where `stream` is true' } };

function statusesOf(
  method: string,
  path: string,
  { parameters = [], requestBody }: Operation,
  access: Access,
  shape: ErrorShape,
): number[] {
  const isInference = access !== 'public' && access.scope === 'inference' && requestBody !== undefined;
  return [
    ...(access === 'public' ? [] : [401, 403]),
    ...(path.includes('{') || isInference ? [404] : []),
    ...(shape === 'management' && method !== 'get' ? [409] : []),
    ...(requestBody ? [413] : []),
    ...(requestBody || parameters.length > 0 ? [shape === 'openai' ? 400 : 422] : []),
    ...(isInference ? [429] : []),
    503,
  ];
}

/** Whether the body has a field `stream`. */
function canStream({ requestBody }: Operation, schemas: Record<string, unknown> = {}): boolean {
  const schema = requestBody?.content?.['application/json']?.schema as
    | { $ref?: string; properties?: object }
    | undefined;
  const name = schema?.$ref?.split('/').at(-1);
  const body = (name === undefined ? schema : schemas[name]) as typeof schema;
  return body?.properties !== undefined && Object.hasOwn(body.properties, 'stream');
}
