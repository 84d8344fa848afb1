import type { Scope } from './api-keys.ts';

/**
 * How errors look on a surface:
 * `openai` {error:{…}}; `dispatcher` the same, with FastAPI's 422 and its `detail` for input that fails validation;
 * `management` and `layout` {detail}; `management-inference` {detail, error:{…}}; `index` {error: "…"}.
 */
export type ErrorShape = 'openai' | 'dispatcher' | 'management' | 'management-inference' | 'layout' | 'index';

/** Who may call a route: anyone, or holders of a key with the scope; where `openable`, anyone in open mode too. */
export type Access = 'public' | { scope: Scope; openable: boolean };

/** A place where the dispatcher's inference endpoints are served: below which path, for whom, and under which names. */
export interface InferenceSurface {
  /** Empty for the dispatcher's own paths, `/hosted` for the hosted API, and so on. */
  prefix: string;
  shape: ErrorShape;
  access: Access;
  /** Served model names by the names that callers may use instead. */
  aliases: ReadonlyMap<string, string>;
  /** The served model names that can be called here; absent: all of them. */
  only?: readonly string[] | undefined;
}
