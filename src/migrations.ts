import { botFeedback } from './chatbot/migrations/0017-bot-feedback.ts';
import { dispatcher } from './dispatcher/migrations/0003-dispatcher.ts';
import { documentIndex } from './document-index/migrations/0016-document-index.ts';
import { botSources } from './document-index/migrations/0018-bot-sources.ts';
import { sourceResults } from './document-index/migrations/0019-source-results.ts';
import { hostedAccounts } from './hosted/migrations/0014-hosted-accounts.ts';
import { datasets } from './management/migrations/0005-datasets.ts';
import { finetuning } from './management/migrations/0006-finetuning.ts';
import { deployments } from './management/migrations/0007-deployments.ts';
import { podHosts } from './management/migrations/0011-pod-hosts.ts';
import { deploymentOptions } from './management/migrations/0012-deployment-options.ts';
import { models } from './models/migrations/0004-models.ts';
import { replacedModels } from './models/migrations/0008-replaced-models.ts';
import { audit } from './platform/audit/migrations/0009-audit.ts';
import { apiKeys } from './platform/auth/migrations/0001-api-keys.ts';
import { pendingKeys } from './platform/auth/migrations/0013-pending-keys.ts';
import type { Migration } from './platform/database/migration.ts';
import { metering } from './platform/metering/migrations/0010-metering.ts';
import { usagePages } from './platform/metering/migrations/0015-usage-pages.ts';
import { work } from './platform/queue/migrations/0002-work.ts';

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
  audit,
  metering,
  podHosts,
  deploymentOptions,
  pendingKeys,
  hostedAccounts,
  usagePages,
  documentIndex,
  botFeedback,
  botSources,
  sourceResults,
];
