import type { Clock } from '../../contracts/clock.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import type { AdminKey } from '../auth/keys/admin-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Environment } from '../config/environment.ts';
import type { PlatformConfig } from '../config/resolve-platform.ts';
import type { Database } from '../database/database.ts';
import type { AccessRules } from '../http/access.ts';
import type { Service } from '../http/service.ts';
import type { Metering } from '../metering/open-metering.ts';
import type { WorkKind } from '../queue/work-kind.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

/** What every part stands on. A part names the settings that it reads as `Foundation<ItsSettings>`. */
export interface Foundation<Settings = unknown> {
  config: PlatformConfig & Settings;
  environment: Environment;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing;
  database: Database;
  blobs: BlobStore;
  queue: WorkQueue;
  ring: KeyRing;
  metering: Metering;
  access: AccessRules;
  adminKey: AdminKey;
  /** The key that this process presents to other processes of the platform. */
  ownKey: string | undefined;
  /** The address that this process listens on; undefined until it does. */
  address(): string | undefined;
}

/** A part of the platform that has been opened. What it offers to other parts, it adds to these. */
export interface Part {
  services?: readonly Service[];
  /** The kinds of long work that it carries out, by name. */
  work?: Readonly<Record<string, WorkKind>>;
  /** Runs once the process listens, and before any work does. */
  start?(): Promise<void>;
  /** Runs when the last request has been answered and no work runs any more. */
  close?(): Promise<void>;
}
