import type { Documents } from '../../documents/read-document.ts';
import type { Metering } from '../../platform/metering/open-metering.ts';

export interface LayoutDependencies {
  documents: Pick<Documents, 'read'>;
  metering: Pick<Metering, 'limits' | 'usage'>;
  /** Where uploads lie while they are read. */
  uploads: string;
  settings: { max_files: number; max_size: number };
}
