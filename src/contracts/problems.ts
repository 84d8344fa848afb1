/**
 * Everything that can go wrong on purpose, as one closed list. Code anywhere throws one of these;
 * `platform/http/problem-shapes.ts` alone says how each looks on each API surface.
 */

interface ProblemOptions {
  /** A stable machine-readable word (OpenAI's `code`), where the default of the class is too general. */
  code?: string;
  /** The request field at fault. */
  param?: string;
  /** Seconds after which a retry makes sense. */
  retryAfter?: number;
  /** Extra response headers, such as `x-ratelimit-*`. */
  headers?: Record<string, string>;
  /** What the log should know and the caller should not. */
  cause?: unknown;
}

export abstract class Problem extends Error {
  static readonly status: number;
  static readonly code: string;
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;

  constructor(message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.status = new.target.status;
    this.code = options.code ?? new.target.code;
    this.param = options.param;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }
}

/** One thing wrong with the input, in FastAPI's vocabulary: where (`['body', 'messages']`), what, and its type. */
export interface InputIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The request was read but does not fit its schema. */
export class InvalidInput extends Problem {
  static override readonly status = 422;
  static override readonly code = 'invalid_request';
  readonly issues: InputIssue[];

  constructor(issues: InputIssue[]) {
    const first = issues[0];
    super(issues.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '), {
      param: first?.loc.slice(1).join('.') || undefined,
    });
    this.issues = issues;
  }
}

/** The request could not be carried out as it stands: a body that is not JSON, a prompt longer than the context. */
export class BadRequest extends Problem {
  static override readonly status = 400;
  static override readonly code = 'invalid_request';
}

export class Unauthenticated extends Problem {
  static override readonly status = 401;
  static override readonly code = 'invalid_api_key';
}

export class Forbidden extends Problem {
  static override readonly status = 403;
  static override readonly code = 'insufficient_permissions';
}

export class NotFound extends Problem {
  static override readonly status = 404;
  static override readonly code = 'not_found';

  /** `words` where the plain sentence would say too little. */
  constructor(kind: string, id: string, { words, ...options }: ProblemOptions & { words?: string } = {}) {
    super(words ?? `${kind} '${id}' was not found`, options);
  }
}

export class MethodNotAllowed extends Problem {
  static override readonly status = 405;
  static override readonly code = 'method_not_allowed';
}

/** What was asked collides with the present state: a busy bot, a taken name, a job that has ended. */
export class Conflict extends Problem {
  static override readonly status = 409;
  static override readonly code = 'conflict';
}

export class PayloadTooLarge extends Problem {
  static override readonly status = 413;
  static override readonly code = 'payload_too_large';
}

export class UnsupportedMediaType extends Problem {
  static override readonly status = 415;
  static override readonly code = 'unsupported_media_type';
}

export class RateLimited extends Problem {
  static override readonly status = 429;
  static override readonly code = 'rate_limit_exceeded';
}

/** A pod or an outside server answered with something we can't use. */
export class UpstreamFailed extends Problem {
  static override readonly status = 502;
  static override readonly code = 'upstream_error';
}

/** It can't be done now, and may be later: no live pod, draining, a full queue. */
export class Unavailable extends Problem {
  static override readonly status = 503;
  static override readonly code = 'service_unavailable';
}

export class DeadlineExceeded extends Problem {
  static override readonly status = 504;
  static override readonly code = 'timeout';
}

/** The disk, the bucket or the memory has no room for what was asked. */
export class OutOfSpace extends Problem {
  static override readonly status = 507;
  static override readonly code = 'insufficient_storage';
}

/** What a caller sees of a fault of ours. The fault itself goes to the log. */
export class InternalFault extends Problem {
  static override readonly status = 500;
  static override readonly code = 'internal_error';
}
