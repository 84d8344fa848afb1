import type { Migration } from '../migration.ts';
import { apiKeys } from './0001-api-keys.ts';
import { work } from './0002-work.ts';
import { dispatcher } from './0003-dispatcher.ts';
<<<<<<< HEAD
import { models } from './0004-models.ts';

/** In order, without gaps: a new one goes at the end. */
export const migrations: readonly Migration[] = [apiKeys, work, dispatcher, models];
=======
import { datasets } from './0004-datasets.ts';

/** In order, without gaps: a new one goes at the end. */
export const migrations: readonly Migration[] = [apiKeys, work, dispatcher, datasets];
>>>>>>> 1452938 (Take data sets line by line, name what is wrong in them, and store nothing of a bad one)
