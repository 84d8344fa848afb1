import type { Answering } from '../../contracts/answering.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Metering } from '../../platform/metering/open-metering.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { PublicBots } from '../admission/public-bots.ts';
import type { Bots } from '../bots.ts';

export interface ToolDependencies {
  bots: Bots;
  answering: Answering;
  publicBots: Pick<PublicBots, 'has' | 'enter'>;
  metering: Pick<Metering, 'limits' | 'usage'>;
  logger: Pick<Logger, 'error'>;
}

/** A request as the tools see it. */
export interface ToolCall {
  caller: Caller;
  /** The network address of the caller. */
  address: string;
  requestId: string;
  /** Aborted when the client cancels or closes the connection. */
  signal: AbortSignal;
}
