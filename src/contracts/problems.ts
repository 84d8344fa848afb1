/**
 * The closed list of expected errors. Any code may throw one of these; only
 * `platform/http/errors/problem-shapes.ts` decides how each looks on each API surface.
 */

interface ProblemOptions {
  /** A stable machine-readable code (OpenAI's `code`), if the default of the class is too general. */
  code?: string;
  /** The request field at fault. */
  param?: string;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** Extra response headers, such as `x-ratelimit-*`. */
  headers?: Record<string, string>;
  /** Details for the log that the caller must not see. */
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

/** A validation error in FastAPI's format: location (`['body', 'messages']`), message and type. */
export interface InputIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The request does not match its schema. */
export class InvalidInput extends Problem {
  static override readonly status = 422;
  static override readonly code = 'invalid_request';
  readonly issues: InputIssue[];

  constructor(issues: InputIssue[]) {
    const first = issues[0];
    super(issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg.replace(/^Value error, /, '')}`).join('; '), {
      param: first?.loc.slice(1).join('.') || undefined,
    });
    this.issues = issues;
  }
}

/** The request is well-formed, but what it holds can't be processed: an encrypted file. */
export class Unprocessable extends Problem {
  static override readonly status = 422;
  static override readonly code = 'unprocessable';
}

/** The request can't be processed: a body that is not JSON, a prompt longer than the context. */
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

  /** `words` replaces the default message. */
  constructor(kind: string, id: string, { words, ...options }: ProblemOptions & { words?: string } = {}) {
    super(words ?? `${kind} '${id}' was not found`, options);
  }
}

export class MethodNotAllowed extends Problem {
  static override readonly status = 405;
  static override readonly code = 'method_not_allowed';
}

/** The request conflicts with the current state: a busy bot, a name that is taken, a job that has ended. */
export class Conflict extends Problem {
  static override readonly status = 409;
  static override readonly code = 'conflict';
}

/** The client accepts none of the types that an answer can have. */
export class NotAcceptable extends Problem {
  static override readonly status = 406;
  static override readonly code = 'not_acceptable';
}

export class PayloadTooLarge extends Problem {
  static override readonly status = 413;
  static override readonly code = 'payload_too_large';
}

export class UnsupportedMediaType extends Problem {
  static override readonly status = 415;
  static override readonly code = 'unsupported_media_type';
}

/** The requested range lies beyond the end of the file. */
export class RangeNotSatisfiable extends Problem {
  static override readonly status = 416;
  static override readonly code = 'range_not_satisfiable';

  constructor(size: number) {
    super(`the range begins beyond the end of the file, which has ${size} bytes`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
}

export class RateLimited extends Problem {
  static override readonly status = 429;
  static override readonly code = 'rate_limit_exceeded';
}

/** A pod or an external server sent an invalid response. */
export class UpstreamFailed extends Problem {
  static override readonly status = 502;
  static override readonly code = 'upstream_error';
}

/** Temporarily impossible: no live pod, draining, a full queue. */
export class Unavailable extends Problem {
  static override readonly status = 503;
  static override readonly code = 'service_unavailable';
}

export class DeadlineExceeded extends Problem {
  static override readonly status = 504;
  static override readonly code = 'timeout';
}

/** Not enough space on the disk, in the bucket or in memory. */
export class OutOfSpace extends Problem {
  static override readonly status = 507;
  static override readonly code = 'insufficient_storage';
}

/** An internal error. The caller sees only this message; the cause is logged. */
export class InternalFault extends Problem {
  static override readonly status = 500;
  static override readonly code = 'internal_error';
}
