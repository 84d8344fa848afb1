import type { Answering } from '../contracts/answering.ts';
import type { Inference } from '../platform/inference/inference.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import { AddressLimits } from './admission/address-limits.ts';
import { PublicBots } from './admission/public-bots.ts';
import { Readers } from './admission/readers.ts';
import { createAnswering } from './answering.ts';
import type { Bots } from './bots.ts';
import { chatbotService } from './chatbot-service.ts';
import { KeptAnswers } from './feedback/kept-answers.ts';
import { LinkSigner } from './files/link-signer.ts';
import { SentenceMeanings } from './meaning/sentence-meanings.ts';
import { ChatModels } from './models/chat-models.ts';
import type { ChatbotSettings } from './settings.ts';

interface ChatbotNeeds {
  bots: Bots;
  inference: Inference;
}

type ChatbotFoundation = Pick<
  Foundation<ChatbotSettings>,
  'config' | 'database' | 'clock' | 'logger' | 'blobs' | 'metering' | 'access' | 'ownKey'
>;

export interface ChatbotPart extends Part {
  answering: Answering;
  /** Who may use which bot, on every surface. */
  readers: Readers;
  publicBots: PublicBots;
  /** The model that writes answers; null where answers are extracted. */
  chatModel(signal: AbortSignal): Promise<string | null>;
  /**
   * Removes the kept answers that quote a document of a bot, or all of the bot. The index calls it when it deletes one,
   * before it reports the deletion as complete. Safe to repeat.
   */
  forget(bot: string, document?: string): Promise<number>;
}

/** The chatbot: answers, feedback, stored files, and a page per bot. */
export function openChatbot(foundation: ChatbotFoundation, { bots, inference }: ChatbotNeeds): ChatbotPart {
  const { config, database, clock, logger, blobs, metering, access, ownKey } = foundation;
  const settings = config.chatbot;
  const kept = new KeptAnswers({ database, clock, rateWithin: settings.rate_within });
  const signer = new LinkSigner({ clock, ownKey, lifetime: settings.links_expire });
  const models = new ChatModels({ inference, settings, logger });
  const meanings = new SentenceMeanings(inference);
  const answering = createAnswering({ bots, inference, models, meanings, settings, logger, kept, signer });
  const addresses = new AddressLimits(clock, settings.public_requests_per_minute);
  const publicBots = new PublicBots(settings.public, addresses);
  const readers = new Readers({ access, publicBots });
  const store = { blobs, database, clock, maxSize: settings.max_document_size };
  const prepare = () => {
    const options = { credentials: 'platform', signal: AbortSignal.timeout(30_000) } as const;
    void models.current(options).catch(() => undefined);
  };
  return {
    answering,
    readers,
    publicBots,
    chatModel: async (signal) => (await models.current({ credentials: 'platform', signal }))?.id ?? null,
    forget: (bot, document) => kept.forget(bot, document),
    services: [
      chatbotService({
        bots,
        answering,
        metering,
        readers,
        prepare,
        database,
        clock,
        files: { open: { bots, blobs }, store, readers, signer },
      }),
    ],
  };
}
