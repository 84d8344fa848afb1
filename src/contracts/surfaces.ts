import type { Scope } from './api-keys.ts';

/**
 * The format of errors on a surface:
 * `openai` {error:{…}}; `dispatcher` the same, with FastAPI's 422 and its `detail` for input that fails validation;
 * `management` and `layout` {detail}; `management-inference` {detail, error:{…}}; `index` {error: "…"}.
 */
export type ErrorShape = 'openai' | 'dispatcher' | 'management' | 'management-inference' | 'layout' | 'index';

/**
 * Who may call a route: anyone, or holders of a key with the scope, or with the scope `or`. If `openable`, also anyone
 * in open mode.
 */
export type Access = 'public' | { scope: Scope; openable: boolean; or?: Scope };

/** A path prefix under which the dispatcher's inference endpoints are served, with its access rules and model names. */
export interface InferenceSurface {
  /** Empty for the dispatcher's own paths, `/hosted` for the hosted API, and so on. */
  prefix: string;
  shape: ErrorShape;
  access: Access;
  /** Map from alias to served model name. */
  aliases: ReadonlyMap<string, string>;
  /** The served model names that can be called here. Default: all. */
  only?: readonly string[] | undefined;
  /** Bots are models here too, for keys that may read them. */
  bots?: boolean;
}
