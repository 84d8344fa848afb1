import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anonymous } from '../../platform/http/access.ts';
import type { Service } from '../../platform/http/service.ts';
import type { Readers } from '../admission/readers.ts';
import type { ToolCall, ToolDependencies } from './tool-dependencies.ts';

/** What the library passes on to the tools. */
type Asked = Pick<ToolCall, 'caller' | 'address' | 'requestId'>;

/** Bots as a tool server of the Model Context Protocol. Stateless: every request stands alone. */
export function mcpService(deps: ToolDependencies, readers: Pick<Readers, 'admitToAll'>): Service {
  let opening: Promise<McpHttpHandler> | undefined;
  const handler = () => {
    opening ??= openHandler(deps);
    return opening;
  };
  return {
    name: 'mcp',
    title: 'Roundhouse tools',
    description: 'Bots as tools and documents as resources, for clients of the Model Context Protocol.',
    surfaces: [{ prefix: '/mcp', shape: 'index' }],
    // Who is let in without a key depends on whether there are public bots.
    access: 'public',
    routes(app) {
      app.route({
        method: ['GET', 'POST', 'DELETE'],
        url: '/mcp',
        schema: { hide: true },
        onRequest: async (request) => void readers.admitToAll(request),
        handler: async (request, reply) => answer(await handler(), request, reply),
      });
    },
    async close() {
      await (await opening)?.close();
    },
  };
}

/** The library is loaded with the first request: most platforms never get one. */
async function openHandler(deps: ToolDependencies): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { toolServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./tool-server.ts'),
  ]);
  return createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const { caller, address, requestId } = (authInfo?.extra ?? {}) as Partial<Asked>;
      return toolServer(deps, {
        caller: caller ?? anonymous,
        address: address ?? '',
        requestId: requestId ?? '',
        closed: requestInfo?.signal ?? new AbortController().signal,
      });
    },
    { onerror: (error) => deps.logger.error({ err: error }, 'the tool server failed') },
  );
}

async function answer(handler: McpHttpHandler, request: FastifyRequest, reply: FastifyReply) {
  const closed = new AbortController();
  reply.raw.on('close', () => closed.abort());
  const { caller, ip, id, headers, method, body } = request;
  const response = await handler.fetch(
    new Request('http://roundhouse/mcp', { method, headers: pairsOf(headers), signal: closed.signal }),
    {
      ...(method === 'POST' ? { parsedBody: body } : {}),
      // The framework has checked the key already.
      authInfo: {
        token: '',
        clientId: '',
        scopes: [],
        extra: { caller, address: ip, requestId: id } satisfies Asked,
      },
    },
  );
  for (const [name, value] of response.headers) reply.header(name, value);
  reply.status(response.status);
  return reply.send(response.body ? Readable.fromWeb(response.body as ReadableStream) : undefined);
}

/** The key stays outside of the library. */
function pairsOf(headers: FastifyRequest['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name === 'authorization' || value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
}
