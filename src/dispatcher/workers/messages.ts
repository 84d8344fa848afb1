import type { Config } from '../../platform/config/resolve-config.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Account, Draw, Drawn } from '../../platform/metering/leases/bank.ts';
import type { SharedLimits } from '../../platform/metering/limit-memory.ts';
import type { UsageEntry } from '../../platform/metering/usage/usage-ledger.ts';
import type { CountedModel } from '../accounting/meters.ts';
import type { SurfaceSettings } from '../calls/surface.ts';
import type { MirroredPod } from '../pods/registry.ts';

/** What a worker begins with. */
export interface WorkerStart {
  config: Pick<Config, 'dispatcher' | 'http' | 'pods' | 'queue' | 'telemetry'>;
  index: number;
  spoolDir: string;
  host: string;
  port: number;
  /** Where everything that is not proxied goes: a socket of the main thread. */
  inner: string;
  surfaces: SurfaceSettings[];
  pods: MirroredPod[];
  occupancy: SharedArrayBuffer;
  limits: SharedLimits;
  prefixes: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'pod'; pod: MirroredPod }
  | { kind: 'forget'; podId: string }
  | { kind: 'aliases'; prefix: string; aliases: Record<string, string>; only?: readonly string[] | undefined }
  | { kind: 'caller'; question: number; caller: Caller; row: number }
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
