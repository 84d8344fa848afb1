import { z } from 'zod';
import {
  FinetuneRequest,
  FinetuneStatus,
  FinetuneStatusQuery,
} from '../../contracts/management/finetuning.ts';
import { Job } from '../../contracts/management/jobs.ts';
import { TrainableModel, TrainableModelsQuery } from '../../contracts/management/models.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import type { FinetuneDependencies } from './finetune-dependencies.ts';
import { listTrainable } from './list-trainable.ts';
import { finishFinetune } from './runs/finish-finetune.ts';
import { getFinetuneStatus } from './runs/get-finetune-status.ts';
import { interruptFinetune } from './runs/interrupt-finetune.ts';
import { startFinetune } from './runs/start-finetune.ts';

const tags = ['fine-tuning'];

export function addFinetuneRoutes(app: App, deps: FinetuneDependencies): void {
  app.get(
    '/api/v1/finetune/models/',
    {
      schema: {
        tags,
        summary: 'List the models that can be trained',
        querystring: TrainableModelsQuery,
        response: { 200: z.array(TrainableModel) },
      },
    },
    (request) => listTrainable(deps, request.query),
  );
  app.post(
    '/api/v1/finetune/',
    {
      schema: {
        tags,
        summary: 'Train an adapter',
        description: 'Repeating the request of an interrupted run resumes it from its checkpoint.',
        body: FinetuneRequest,
        response: { 200: Job },
      },
    },
    (request) => startFinetune(deps, actorOf(request), request.body),
  );
  app.get(
    '/api/v1/finetune/status',
    {
      schema: {
        tags,
        summary: 'Get the current training run, else the last one',
        querystring: FinetuneStatusQuery,
        response: { 200: FinetuneStatus },
      },
    },
    (request) => getFinetuneStatus(deps, request.query.job_id),
  );
  app.post(
    '/api/v1/finetune/interrupt/',
    { schema: { tags, summary: 'Stop the current training run', response: { 200: Job } } },
    (request) => interruptFinetune(deps, actorOf(request)),
  );
  app.post(
    '/api/v1/finetune/finish/',
    {
      schema: {
        tags,
        summary: 'End the current training run early and keep its adapter',
        response: { 200: Job },
      },
    },
    (request) => finishFinetune(deps, actorOf(request)),
  );
}
