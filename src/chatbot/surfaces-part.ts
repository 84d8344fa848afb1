import type { Answering } from '../contracts/answering.ts';
import type { AnsweringModels } from '../platform/inference/answering-models.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import type { PublicBots } from './admission/public-bots.ts';
import type { Readers } from './admission/readers.ts';
import type { Bots } from './bots.ts';
import { mcpService } from './mcp/mcp-service.ts';
import { botModels } from './openai/bot-models.ts';

interface SurfaceNeeds {
  bots: Bots;
  answering: Answering;
  readers: Pick<Readers, 'admitToAll'>;
  publicBots: PublicBots;
}

export interface BotSurfaces extends Part {
  /** Bots as models, for the dispatcher. */
  models: AnsweringModels;
}

/** Bots outside of their own API: as models and as tools. */
export function openBotSurfaces(
  { clock, logger, metering }: Pick<Foundation, 'clock' | 'logger' | 'metering'>,
  { bots, answering, readers, publicBots }: SurfaceNeeds,
): BotSurfaces {
  return {
    models: botModels({ bots, answering, publicBots, clock }),
    services: [mcpService({ bots, answering, publicBots, metering, logger }, readers)],
  };
}
