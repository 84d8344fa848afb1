import type { Answering } from '../contracts/answering.ts';
import type { AnsweringModels } from '../platform/inference/answering-models.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import type { Bots } from './bots.ts';
import { mcpService } from './mcp/mcp-service.ts';
import { botModels } from './openai/bot-models.ts';

export interface BotSurfaces extends Part {
  /** Bots as models, for the dispatcher. */
  models: AnsweringModels;
}

/** Bots outside of their own API: as models and as tools. */
export function openBotSurfaces(
  { clock, logger, metering }: Pick<Foundation, 'clock' | 'logger' | 'metering'>,
  { bots, answering }: { bots: Bots; answering: Answering },
): BotSurfaces {
  return {
    models: botModels({ bots, answering, clock }),
    services: [mcpService({ bots, answering, metering, logger })],
  };
}
