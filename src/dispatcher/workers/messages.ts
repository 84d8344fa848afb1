import type { InferenceSurface } from '../../contracts/surfaces.ts';
import type { PlatformConfig } from '../../platform/config/resolve-platform.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Account, Draw, Drawn } from '../../platform/metering/leases/bank.ts';
import type { SharedLimits } from '../../platform/metering/memory/limit-memory.ts';
import type { UsageEntry } from '../../platform/metering/usage/usage-ledger.ts';
import type { CountedModel } from '../accounting/meters.ts';
import type { MirroredPod } from '../pods/registry.ts';
import type { DispatcherSettings } from '../settings.ts';

/** The data that a worker starts with. */
export interface WorkerStart {
  config: DispatcherSettings & Pick<PlatformConfig, 'host' | 'auth' | 'http' | 'telemetry'>;
  index: number;
  spoolDir: string;
  host: string;
  port: number;
  /** The Unix socket of the main thread, to which workers forward what they don't serve themselves. */
  inner: string;
  surfaces: InferenceSurface[];
  pods: MirroredPod[];
  occupancy: SharedArrayBuffer;
  limits: SharedLimits;
  prefixes: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'pod'; pod: MirroredPod }
  | { kind: 'forget'; podId: string }
  | { kind: 'surface'; surface: InferenceSurface }
  | { kind: 'surface removed'; prefix: string }
  | { kind: 'caller'; question: number; caller: Caller; row: number; onlyBots: string | undefined }
  | { kind: 'drawn'; question: number; drawn: Drawn }
  | { kind: 'refused'; question: number; status: 401 | 403; message: string }
  | { kind: 'close' };

export type FromWorker =
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'identify'; question: number; prefix: string; authorization: string | undefined }
  | { kind: 'draw'; question: number; draw: Draw }
  | { kind: 'settle'; account: Account }
  | { kind: 'counted'; models: CountedModel[]; usage: UsageEntry[] };
