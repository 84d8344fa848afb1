import { createReadStream } from 'node:fs';
import { z } from 'zod';
import {
  ModelFilePath,
  ModelFiles,
  ModelFilesPath,
  ModelFilesQuery,
} from '../../contracts/management/model-files.ts';
import { RangeNotSatisfiable } from '../../contracts/problems.ts';
import { type FileDependencies, findFile, listFiles } from '../../models/library/serving/list-files.ts';
import { byteRange } from '../../platform/http/requests/byte-range.ts';
import type { App } from '../../platform/http/service.ts';

const tags = ['models'];
/** Weights may be licensed, so they need a key in open mode too. */
const config = { access: { scope: 'pods', openable: false } } as const;

/** Serves the library to pods on other machines. Slashes in the id are encoded. */
export function addModelFileRoutes(app: App, deps: FileDependencies): void {
  app.get(
    '/api/v1/models/:model_id/files/',
    {
      config,
      schema: {
        tags,
        summary: 'List the files of a model',
        description: 'For keys with the scope `pods` or `admin`. Encode slashes in the id as `%2F`.',
        params: ModelFilesPath,
        querystring: ModelFilesQuery,
        response: { 200: ModelFiles },
      },
    },
    ({ params, query }) => listFiles(deps, params.model_id, { namesOnly: query.names_only }),
  );
  app.get(
    '/api/v1/models/:model_id/files/*',
    {
      config,
      schema: {
        tags,
        summary: 'Download a file of a model, or a range of it',
        description: 'For keys with the scope `pods` or `admin`. The `ETag` is the hash of the file.',
        params: ModelFilePath,
        headers: z.looseObject({ range: z.string().optional() }),
        produces: ['application/octet-stream'],
      },
    },
    async (request, reply) => {
      const { path, size, hash } = await findFile(deps, request.params.model_id, request.params['*']);
      const etag = `"${hash.hex}"`;
      const { range: asked, 'if-range': condition } = request.headers;
      const range = condition === undefined || condition === etag ? byteRange(asked, size) : undefined;
      if (range === 'unsatisfiable') throw new RangeNotSatisfiable(size);
      const { first, last } = range ?? { first: 0, last: size - 1 };
      return reply
        .code(range ? 206 : 200)
        .type('application/octet-stream')
        .headers({ etag, 'accept-ranges': 'bytes', 'content-length': last - first + 1 })
        .headers(range ? { 'content-range': `bytes ${first}-${last}/${size}` } : {})
        .send(createReadStream(path, { start: first, end: Math.max(first, last), highWaterMark: 2 ** 20 }));
    },
  );
}
