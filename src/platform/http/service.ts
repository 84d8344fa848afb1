import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Access, ErrorShape } from '../../contracts/surfaces.ts';
import type { Caller } from './access.ts';

/** A Fastify instance whose routes take zod schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export interface Readiness {
  ready: boolean;
  /** A short explanation, shown at `/readyz`. */
  detail?: string;
}

/** One of the platform's APIs. `buildApp` mounts several on one server. */
export interface Service {
  /** `dispatcher`, `management`, …: its name for `--only` and of its OpenAPI file. */
  name: string;
  title: string;
  description: string;
  /** Version in its OpenAPI document. Default: the program's version. */
  version?: string;
  /** Path of its interactive reference. */
  docs?: string;
  /** Where `docs` contains a parameter: throws if there is no such page, and adapts the document to the parameters. */
  reference?: {
    check(params: unknown): void;
    describe<Document>(document: Document, params: unknown): Document;
  };
  /** The service's path prefixes and the error shape of each. The longest matching prefix wins; `:name` matches one part. */
  surfaces: { prefix: string; shape: ErrorShape }[];
  /** Who may call its routes, unless a route overrides it in `config.access`. */
  access: Access;
  /** Adds the routes, with their full paths. */
  routes(app: App): void | Promise<void>;
  /** Whether it can serve requests, for `/readyz`. */
  ready?(): Readiness | Promise<Readiness>;
  /** Runs after the server has drained. */
  close?(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** A header in which other servers' clients send the key, where there is no Authorization header. */
    keyHeader?: string;
  }
  interface FastifyRequest {
    caller: Caller;
    /** Whether the request would be let in now: its key may have been revoked or have expired. For long answers. */
    isStillAdmitted(): boolean;
  }
}
