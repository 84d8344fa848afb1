import type { ErrorShape } from '../../platform/http/problem-shapes.ts';
import type { Gate } from './context.ts';

/** A place where the proxied endpoints are served: below which path, for whom, and which names mean which models. */
export interface Surface {
  /** Empty for the dispatcher's own, such as `/hosted` for another. */
  prefix: string;
  shape: ErrorShape;
  gate: Gate;
  /** The served name behind what the caller asked for. */
  modelFor(asked: string): string;
}
