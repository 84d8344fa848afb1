import type { Access } from '../../platform/http/access.ts';
import type { ErrorShape } from '../../platform/http/problem-shapes.ts';
import type { Gate } from './context.ts';

/** A place where the proxied endpoints are served: below which path, for whom, and which names mean which models. */
export interface SurfaceSettings {
  /** Empty for the dispatcher's own, such as `/hosted` for another. */
  prefix: string;
  shape: ErrorShape;
  access: Access;
  /** The served name behind a name that callers may use. */
  aliases: Record<string, string>;
}

export interface Surface extends SurfaceSettings {
  gate: Gate;
}

/** The dispatcher's own. */
export const ownSurface: SurfaceSettings = {
  prefix: '',
  shape: 'dispatcher',
  access: { scope: 'inference', openable: true },
  aliases: {},
};
