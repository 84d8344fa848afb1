import type { Config } from '../../platform/config/resolve-config.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { CountedModel } from '../accounting/meters.ts';
import type { UsageEntry } from '../accounting/usage-ledger.ts';
import type { SurfaceSettings } from '../calls/surface.ts';
import type { MirroredPod } from '../pods/registry.ts';

/** What a worker is started with. */
export interface WorkerStart {
  config: Pick<Config, 'dispatcher' | 'http' | 'pods' | 'queue' | 'telemetry'>;
  index: number;
  spoolDir: string;
  host: string;
  port: number;
  /** The Unix socket of the main thread, to which workers forward what they don't serve themselves. */
  inner: string;
  surfaces: SurfaceSettings[];
  pods: MirroredPod[];
  occupancy: SharedArrayBuffer;
  keyCounts: SharedArrayBuffer;
  keysRunning: SharedArrayBuffer;
  prefixes: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'pod'; pod: MirroredPod }
  | { kind: 'forget'; podId: string }
  | { kind: 'aliases'; prefix: string; aliases: Record<string, string>; only?: readonly string[] | undefined }
  | { kind: 'caller'; question: number; caller: Caller; row: number }
  | { kind: 'refused'; question: number; status: 401 | 403; message: string }
  | { kind: 'close' };

export type FromWorker =
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; code: string; message: string }
  | { kind: 'identify'; question: number; prefix: string; authorization: string | undefined }
  | { kind: 'counted'; models: CountedModel[]; usage: UsageEntry[] };
