import type { Access } from '../../platform/http/access.ts';
import type { ErrorShape } from '../../platform/http/errors/problem-shapes.ts';
import type { Gate } from './context.ts';

/** A place where the proxied endpoints are served: below which path, for whom, and which names mean which models. */
export interface SurfaceSettings {
  /** Empty for the dispatcher's own, such as `/hosted` for another. */
  prefix: string;
  shape: ErrorShape;
  access: Access;
  /** The served name behind a name that callers may use. */
  aliases: Record<string, string>;
  /** The served names that can be asked for here; absent: all there are. */
  only?: readonly string[] | undefined;
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
