import { metering } from '../../metering/migrations/0009-metering.ts';
import type { Migration } from '../migration.ts';
import { apiKeys } from './0001-api-keys.ts';
import { work } from './0002-work.ts';
import { dispatcher } from './0003-dispatcher.ts';
import { models } from './0004-models.ts';
import { datasets } from './0005-datasets.ts';
import { finetuning } from './0006-finetuning.ts';
import { deployments } from './0007-deployments.ts';
import { replacedModels } from './0008-replaced-models.ts';

/** In order, without gaps: a new one goes at the end. */
export const migrations: readonly Migration[] = [
  apiKeys,
  work,
  dispatcher,
  models,
  datasets,
  finetuning,
  deployments,
  replacedModels,
  metering,
];
