import { McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { InternalFault, Problem } from '../../contracts/problems.ts';
import { programVersion } from '../../platform/version.ts';
import { mayReadBot } from '../admission/bot-readers.ts';
import { askBot } from './ask-bot.ts';
import { documentTemplate, listDocumentResources, readDocumentResource } from './document-resource.ts';
import { searchBot } from './search-bot.ts';
import type { ToolCall, ToolDependencies } from './tool-dependencies.ts';
import { answerResult, botsResult, documentsResult, passagesResult } from './tool-results.ts';
import { requireReadable } from './use-bot.ts';

const bot = z.string().min(1).max(63).describe('Name of the bot; list_bots lists them');
const question = (about: string) => z.string().trim().min(1).max(32_000).describe(about);
const reads = { readOnlyHint: true, openWorldHint: false };

/** The tools and resources of one request. Nothing is kept between requests. */
export function toolServer(
  deps: ToolDependencies,
  requested: Omit<ToolCall, 'signal'> & { closed: AbortSignal },
): McpServer {
  const server = new McpServer(
    { name: 'roundhouse', title: 'Roundhouse bots', version: programVersion },
    {
      instructions:
        'Bots answer questions about their documents and cite the page. Call list_bots to see which there are, ask for an answer, search for the passages themselves.',
    },
  );
  const callOf = ({ mcpReq }: ServerContext): ToolCall => ({
    caller: requested.caller,
    address: requested.address,
    requestId: requested.requestId,
    // In older protocol versions a closed connection does not cancel the request.
    signal: AbortSignal.any([mcpReq.signal, requested.closed]),
  });
  /** Models read the message of a failed tool, so it must be words. */
  const attempt = async <Result>(work: () => Promise<Result>) => {
    try {
      return await work();
    } catch (error) {
      return { content: [{ type: 'text' as const, text: inWords(deps, error, requested) }], isError: true };
    }
  };

  server.registerTool(
    'list_bots',
    { title: 'List bots', description: 'Lists the bots that can be used.', annotations: reads },
    () =>
      attempt(async () =>
        botsResult(
          (await deps.bots.list()).filter(({ name }) => mayReadBot(deps.publicBots, requested.caller, name)),
        ),
      ),
  );
  server.registerTool(
    'ask',
    {
      title: 'Ask a bot',
      description:
        'Answers a question from the documents of a bot, with numbered sources. Says so if the documents do not contain the answer.',
      inputSchema: z.object({
        bot,
        question: question('A complete question; the bot knows no earlier ones'),
      }),
      annotations: reads,
    },
    (input, context) =>
      attempt(async () =>
        answerResult(await askBot(deps, callOf(context), { ...input, onStage: stages(context) })),
      ),
  );
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description: "Returns the passages of a bot's documents that fit a query best, with document and page.",
      inputSchema: z.object({
        bot,
        query: question('What to look for, in any language that the documents are in'),
        limit: z.int().min(1).max(50).optional().describe('Number of passages'),
      }),
      annotations: reads,
    },
    (input, context) =>
      attempt(async () => passagesResult(input.bot, await searchBot(deps, callOf(context), input))),
  );
  server.registerTool(
    'list_documents',
    {
      title: 'List documents',
      description: 'Lists the documents of a bot.',
      inputSchema: z.object({ bot }),
      annotations: reads,
    },
    (input) =>
      attempt(async () => {
        requireReadable(deps, requested, input.bot);
        return documentsResult(input.bot, await deps.bots.documents(input.bot));
      }),
  );
  server.registerResource(
    'documents',
    new ResourceTemplate(documentTemplate, {
      list: async (context) => ({ resources: await listDocumentResources(deps, callOf(context)) }),
    }),
    { title: 'Documents of bots', description: 'The original files' },
    async (_uri, variables, context) => {
      const named = { bot: decoded(variables.bot), name: decoded(variables.name) };
      try {
        return { contents: [await readDocumentResource(deps, callOf(context), named)] };
      } catch (error) {
        throw new Error(inWords(deps, error, requested));
      }
    },
  );
  return server;
}

/** Reports the stages of an answer as progress, to clients that ask for it. */
function stages({ mcpReq }: ServerContext): (stage: string) => void {
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  return (stage) => {
    if (token === undefined) return;
    const params = { progressToken: token, progress: ++progress, message: stage };
    // A client that has left is told nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function decoded(variable: string | string[] | undefined): string {
  const raw = [variable].flat()[0] ?? '';
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

function inWords(
  { logger }: ToolDependencies,
  error: unknown,
  { requestId }: Pick<ToolCall, 'requestId'>,
): string {
  if (error instanceof Problem && !(error instanceof InternalFault)) return error.message;
  if (!(error instanceof Error) || error.name !== 'AbortError') {
    logger.error({ err: error, request_id: requestId }, 'a tool failed');
  }
  return `internal error; the server log has it under the request id ${requestId}`;
}
