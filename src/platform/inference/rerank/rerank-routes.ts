import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  CohereAnswer,
  CohereRerank,
  DocumentsRerank,
  TextsAnswer,
  TextsRerank,
} from '../../../contracts/dispatcher/rerank-shapes.ts';
import { HTTPValidationError, OpenAIError } from '../../../contracts/errors.ts';
import { RerankResponse } from '../../../contracts/openai/rerank.ts';
import { BadRequest, InvalidInput } from '../../../contracts/problems.ts';
import { toInputIssues } from '../../http/errors/input-issues.ts';
import type { App } from '../../http/service.ts';
import { noRetries } from '../sending/retries.ts';
import { askForJson, jsonRequest } from '../sending/send-request.ts';
import type { InferenceTransport } from '../sending/transport.ts';
import { cohereAnswer, textsAnswer } from './rerank-shapes.ts';

interface RerankDependencies {
  transport: InferenceTransport;
  /** The model for requests that name none; undefined if there is not exactly one to choose. */
  defaultModel(): string | undefined;
  /** The prefix of the surface that is called. */
  prefix?: string;
}

const tags = ['inference'];
const refusals = { 422: HTTPValidationError, 503: OpenAIError };

/**
 * Reranking as clients of other servers ask for it. Each request becomes one to `/v1/rerank`, where it is routed, limited
 * and counted; the answer gets the shape that its client expects.
 */
export function addRerankRoutes(
  app: App,
  { transport, defaultModel, prefix = '' }: RerankDependencies,
): void {
  const rerank = (request: FastifyRequest, reply: FastifyReply, body: object) =>
    askForJson(
      { transport, ownKey: undefined },
      jsonRequest(`${prefix}/v1/rerank`, body),
      RerankResponse,
      {
        credentials: { authorization: request.headers.authorization },
        requestId: request.id,
        signal: goneSignal(reply),
      },
      noRetries,
    );
  const modelOf = ({ model }: { model?: string | undefined }) => {
    const found = model ?? defaultModel();
    if (found !== undefined) return found;
    throw new BadRequest('the request names no model, and not exactly one model can rerank: set model', {
      param: 'model',
    });
  };

  app.post(
    `${prefix}/v2/rerank`,
    {
      schema: {
        tags,
        summary: "Rank documents by relevance to a query, as Cohere's API does",
        body: CohereRerank,
        response: { 200: CohereAnswer, ...refusals },
      },
    },
    async (request, reply) => cohereAnswer(await rerank(request, reply, request.body)),
  );
  app.post(
    `${prefix}/rerank`,
    {
      schema: {
        tags,
        summary: 'Rank documents or texts by relevance to a query',
        description:
          'With `documents`, as Jina and vLLM take it; with `texts`, as TEI takes it, which answers a bare array.',
        body: z.union([TextsRerank, DocumentsRerank]),
        response: { 200: z.union([TextsAnswer, RerankResponse]), ...refusals },
      },
      // A union would say of each shape what is wrong with it.
      validatorCompiler: () => (body) => readRerank(body),
    },
    async (request, reply) => {
      const body = { ...request.body, model: modelOf(request.body) };
      if (!('texts' in body)) return rerank(request, reply, body);
      const { model, query, texts: documents } = body as TextsRerank;
      // Other servers refuse an empty list.
      if (documents.length === 0) return [];
      return textsAnswer(await rerank(request, reply, { model, query, documents }), body as TextsRerank);
    },
  );
}

/** With `texts`, a request of TEI's clients. */
function readRerank(body: unknown): { value: unknown } | { error: Error } {
  const isTexts = typeof body === 'object' && body !== null && Object.hasOwn(body, 'texts');
  const result = (isTexts ? TextsRerank : DocumentsRerank).safeParse(body);
  if (result.success) return { value: result.data };
  return { error: new InvalidInput(toInputIssues(result.error.issues, 'body', body)) };
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
