import multipart from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { LayoutResponse } from '../../contracts/hosted/layout-elements.ts';
import { LayoutForm } from '../../contracts/hosted/layout-request.ts';
import { BadRequest, NotAcceptable, Problem } from '../../contracts/problems.ts';
import { streamedBody } from '../../platform/http/requests/streamed-body.ts';
import type { App } from '../../platform/http/service.ts';
import { type ReceivedForm, receiveForm } from '../../platform/uploads/receive-form.ts';
import type { LayoutDependencies } from './layout-dependencies.ts';
import { partitionFiles } from './partition-files.ts';
import { readOptions } from './read-options.ts';
import { answerType } from './wire/accept.ts';
import { writeAnswer } from './wire/write-answer.ts';

/** Unstructured's npm client drops the path of its server's URL, so that its own path is served at the root, too. */
const roots = ['/hosted', ''];
const paths = ['/hosted/v1/layout', ...roots.map((root) => `${root}/general/v0/general`)];

/** Document layout, at our own path and at those that the Unstructured API's clients use. */
export async function addLayoutRoutes(app: App, deps: LayoutDependencies): Promise<void> {
  await app.register(async (plain) => {
    const scope = plain as App;
    await scope.register(multipart);
    for (const path of paths) {
      scope.post(
        path,
        {
          config: { keyHeader: 'unstructured-api-key' },
          schema: {
            tags: ['layout'],
            summary: 'Split documents into elements or chunks',
            description:
              'Answers an array of elements for one file, an array of arrays for several, in the order they were sent. `Accept` or `output_format` may ask for `text/csv`; `Accept: multipart/mixed` gives one part per file.',
            consumes: ['multipart/form-data'],
            body: streamedBody(LayoutForm),
            response: { 200: LayoutResponse },
          },
        },
        (request, reply) => answerLayout(deps, request, reply),
      );
    }
    // Unstructured's Python client asks for this before its first request, without a key.
    for (const root of roots) {
      scope.get(
        `${root}/general/docs`,
        { config: { access: 'public' }, schema: { hide: true, response: { 200: z.string() } } },
        async (_request, reply) => {
          reply.type('text/plain');
          return 'The reference is at /hosted/docs.\n';
        },
      );
    }
  });
}

async function answerLayout(deps: LayoutDependencies, request: FastifyRequest, reply: FastifyReply) {
  const { uploads: folder, settings } = deps;
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new BadRequest('the client left before the answer')));
  // Counted before its files arrive: a key over its limits must not fill the disk.
  const place = await deps.metering.limits.begin(request.caller, 'pages');
  if (place instanceof Problem) throw place;
  let form: ReceivedForm | undefined;
  try {
    const limits = { files: settings.max_files, bytes: settings.max_size };
    form = await receiveForm(request, { folder, limits });
    const files = form.files.filter(({ field }) => field.replace(/\[\]$/, '') === 'files');
    if (files.length === 0)
      throw new BadRequest('Request parameter "files" is required.', { param: 'files' });
    const options = readOptions(form.fields);
    const type = answerType(request.headers.accept, options.output_format);
    if (type === undefined) throw new NotAcceptable(`Unsupported media type ${request.headers.accept}.`);
    const results = await partitionFiles(deps, request.caller, {
      files,
      options,
      signal: gone.signal,
      place,
    });
    const notes = [...new Set(results.flatMap((result) => result.notes))];
    const answer = writeAnswer(
      results.map(({ elements }) => elements),
      type,
      options.output_format,
    );
    if (notes.length > 0) reply.header('x-layout-notes', notes.map(encodeURI).join(', '));
    return reply.type(answer.type).send(answer.body);
  } finally {
    place.settle({});
    await form?.discard();
  }
}
