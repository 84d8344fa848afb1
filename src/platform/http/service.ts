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
  /** Why not, or what it has: read by a person at `/readyz`. */
  detail?: string;
}

/** One of the platform's APIs. `buildApp` mounts several behind one door. */
export interface Service {
  /** `dispatcher`, `management`, …: the word after `--only`, and the name of its OpenAPI file. */
  name: string;
  title: string;
  description: string;
  /** Version in its OpenAPI description; the program's where absent. */
  version?: string;
  /** Where its interactive reference is served. */
  docs?: string;
  /** Which paths are its own, and how errors look below each. The longest prefix wins. */
  surfaces: { prefix: string; shape: ErrorShape }[];
  /** Who may call its routes, where a route does not say otherwise in `config.access`. */
  access: Access;
  /** Adds the routes, with their full paths. */
  routes(app: App): void | Promise<void>;
  /** Whether it can do its work, for `/readyz`. */
  ready?(): Readiness | Promise<Readiness>;
  /** Runs when the server has drained. */
  close?(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    caller: Caller;
    /** Whether the request would be let in now: its key may have been revoked or have expired. For long answers. */
    isStillAdmitted(): boolean;
  }
}
