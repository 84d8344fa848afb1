import { z } from 'zod';
import {
  Dataset,
  DatasetPath,
  DatasetPreview,
  DatasetPreviewQuery,
  DatasetUploadForm,
  DatasetUploadQuery,
} from '../../contracts/management/datasets.ts';
import { InvalidInput, Unavailable, UnsupportedMediaType } from '../../contracts/problems.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import { attachment } from '../../platform/http/requests/attachment.ts';
import { streamedBody } from '../../platform/http/requests/streamed-body.ts';
import type { App } from '../../platform/http/service.ts';
import { uploadedFile } from '../../platform/uploads/uploaded-file.ts';
import { type DatasetDependencies, datasetRow } from './dataset-record.ts';
import { deleteDataset } from './delete-dataset.ts';
import { firstConversations, listDatasets, openDataset } from './read-datasets.ts';
import { uploadDataset } from './upload-dataset.ts';

const tags = ['datasets'];
const shownExamples = 5;

/** Counts tokens with a model's own tokenizer. */
export type TokenLengths = (
  datasetId: string,
  modelId: string,
  signal: AbortSignal,
) => Promise<DatasetPreview['tokens']>;

export function addDatasetRoutes(app: App, deps: DatasetDependencies, tokenLengths?: TokenLengths): void {
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
      const file = await uploadedFile(request);
      if (file?.field !== 'file')
        throw new InvalidInput([{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }]);
      const { description } = request.query;
      return uploadDataset(deps, actorOf(request), {
        name: file.name,
        description,
        content: file.content,
      }).catch((error: unknown) => {
        // The rest is read and dropped: a client that still sends would not read the answer.
        request.raw.unpipe();
        request.raw.resume();
        throw error;
      });
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
        .header('content-disposition', attachment(dataset.name))
        .send(blob.body);
    },
  );

  app.get(
    '/api/v1/datasets/:dataset_id/preview/',
    {
      schema: {
        tags,
        summary: 'Preview a data set: first conversations, count, and token lengths under a model',
        params: DatasetPath,
        querystring: DatasetPreviewQuery,
        response: { 200: DatasetPreview },
      },
    },
    async (request) => {
      const { examples: count } = await datasetRow(deps, request.params.dataset_id);
      const examples = await firstConversations(deps, request.params.dataset_id, shownExamples);
      const { model_id } = request.query;
      if (model_id === undefined) return { examples, count, model_id: null, tokens: null };
      if (!tokenLengths) throw new Unavailable('token counting is not available on this server');
      const tokens = await tokenLengths(request.params.dataset_id, model_id, request.signal);
      return { examples, count, model_id, tokens };
    },
  );

  app.delete(
    '/api/v1/datasets/:dataset_id/',
    { schema: { tags, summary: 'Delete a data set', params: DatasetPath, response: { 200: Dataset } } },
    (request) => deleteDataset(deps, actorOf(request), request.params.dataset_id),
  );
}
