import { z } from 'zod';
import {
  Dataset,
  DatasetPath,
  DatasetPreview,
  DatasetUploadForm,
  DatasetUploadQuery,
} from '../../contracts/management/datasets.ts';
import { InvalidInput, UnsupportedMediaType } from '../../contracts/problems.ts';
import type { App } from '../../platform/http/service.ts';
import { streamedBody } from '../../platform/http/streamed-body.ts';
import {
  type DatasetDependencies,
  datasetRow,
  deleteDataset,
  firstConversations,
  listDatasets,
  openDataset,
  uploadDataset,
} from './datasets.ts';

const tags = ['datasets'];
const shownExamples = 5;

export function addDatasetRoutes(app: App, deps: DatasetDependencies): void {
  app.get(
    '/api/v1/datasets/',
    { schema: { tags, summary: 'List data sets', response: { 200: z.array(Dataset) } } },
    () => listDatasets(deps),
  );

  app.post(
    '/api/v1/datasets/upload/',
    {
      schema: {
        tags,
        summary: 'Upload a data set',
        consumes: ['multipart/form-data'],
        querystring: DatasetUploadQuery,
        body: streamedBody(DatasetUploadForm),
        response: { 200: Dataset },
      },
    },
    async (request) => {
      if (!request.isMultipart())
        throw new UnsupportedMediaType('send the file as multipart/form-data, in the field "file"');
      const file = await request.file();
      if (file?.fieldname !== 'file')
        throw new InvalidInput([{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }]);
      const { description } = request.query;
      return uploadDataset(deps, { name: file.filename, description, content: file.file });
    },
  );

  app.get(
    '/api/v1/datasets/:dataset_id/',
    {
      schema: {
        tags,
        summary: 'Download the file as it was uploaded',
        params: DatasetPath,
        produces: ['application/octet-stream'],
      },
    },
    async (request, reply) => {
      const { dataset, blob } = await openDataset(deps, request.params.dataset_id);
      return reply
        .type('application/octet-stream')
        .header('content-length', blob.length)
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(dataset.name)}`)
        .send(blob.body);
    },
  );

  app.get(
    '/api/v1/datasets/:dataset_id/preview/',
    {
      schema: {
        tags,
        summary: 'The first conversations, and how many there are',
        params: DatasetPath,
        response: { 200: DatasetPreview },
      },
    },
    async (request) => {
      const { examples: count } = await datasetRow(deps, request.params.dataset_id);
      const examples = await firstConversations(deps, request.params.dataset_id, shownExamples);
      return { examples, count, model_id: null, tokens: null };
    },
  );

  app.delete(
    '/api/v1/datasets/:dataset_id/',
    { schema: { tags, summary: 'Delete a data set', params: DatasetPath, response: { 200: Dataset } } },
    (request) => deleteDataset(deps, request.params.dataset_id),
  );
}
