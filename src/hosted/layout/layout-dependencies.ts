import type { Documents } from '../../documents/read-document.ts';
import type { ModelSupply } from '../../models/layout/model-supply.ts';
import type { Metering } from '../../platform/metering/open-metering.ts';

export interface LayoutDependencies {
  documents: Pick<Documents, 'read'>;
  /** Absent where pages are never read as pictures. */
  models?: Pick<ModelSupply, 'get' | 'fetch'>;
  metering: Pick<Metering, 'limits' | 'usage'>;
  /** Where uploads lie while they are read. */
  uploads: string;
  settings: { max_files: number; max_size: number };
}
