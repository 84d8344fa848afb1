import type { ChatbotPart } from './chatbot/part.ts';
import type { DispatcherPart } from './dispatcher/part.ts';
import { lazyEngine } from './document-index/lazy-engine.ts';
import type { OpenedBots } from './document-index/part.ts';
import type { refuseUnseen } from './document-index/refuse-unseen.ts';
import type { Documents } from './documents/read-document.ts';
import type { ManagementPart } from './management/part.ts';
import type { ModelSupply } from './models/layout/model-supply.ts';
import type { Inference } from './platform/inference/inference.ts';
import type { Closers } from './platform/parts/closers.ts';
import type { Foundation, Part } from './platform/parts/part.ts';
import type { VectorStore } from './platform/vectors/vector-store.ts';
import type { Config } from './settings.ts';

/** What reads documents, for all parts together: its worker processes take turns. */
export interface Readers {
  documents: Documents;
  layoutModels: ModelSupply;
}

export async function openReaders(
  { config, environment, clock, logger }: Foundation<Config>,
  closers: Closers,
): Promise<Readers> {
  const { openDocuments } = await import('./documents/read-document.ts');
  const { openLayoutModels } = await import('./models/layout/open-layout-models.ts');
  const { ModelSupply } = await import('./models/layout/model-supply.ts');
  const documents = openDocuments(config.documents);
  closers.add(() => documents.close());
  const models = openLayoutModels({ config, environment });
  const layoutModels = new ModelSupply({ models, clock, logger });
  closers.add(() => layoutModels.close());
  return { documents, layoutModels };
}

interface AssistantNeeds {
  /** Whether the chatbot was asked for. */
  chatbot: boolean;
  /** Where the document index was asked for. */
  readers: Readers | undefined;
  vectors: VectorStore;
  inference: Inference;
  slots: ManagementPart['slots'] | undefined;
  dispatcher: DispatcherPart | undefined;
}

export interface Assistants {
  parts: Part[];
  bots: OpenedBots;
}

/** Opens the document index and the chatbot, each where it was asked for, and lets them know each other. */
export async function openAssistants(
  foundation: Foundation<Config>,
  needs: AssistantNeeds,
): Promise<Assistants> {
  const parts: Part[] = [];
  let chatbot: ChatbotPart | undefined;
  const { bots, part } = await openBots(foundation, needs, () => chatbot);
  if (part) parts.push(part);
  if (needs.chatbot) {
    const { openChatbot } = await import('./chatbot/part.ts');
    const { openBotSurfaces } = await import('./chatbot/surfaces-part.ts');
    chatbot = openChatbot(foundation, { bots, inference: needs.inference });
    const surfaces = openBotSurfaces(foundation, { bots, ...chatbot });
    needs.dispatcher?.offer(surfaces.models);
    parts.push(chatbot, surfaces);
  }
  return { parts, bots };
}

/** The bots, with the part that changes them if the document index was asked for. */
async function openBots(
  foundation: Foundation<Config>,
  { readers, vectors, inference, slots }: AssistantNeeds,
  chatbot: () => ChatbotPart | undefined,
): Promise<{ bots: OpenedBots; part?: Part }> {
  const index = await import('./document-index/part.ts');
  if (!readers) {
    const { openSearch } = await import('./document-index/open-engine.ts');
    const search = openSearch(foundation, { vectors, inference });
    return { bots: index.openBots(foundation, { search: await seeing(foundation, vectors, search) }) };
  }
  const engine = lazyEngine(async () => {
    const { openEngine } = await import('./document-index/open-engine.ts');
    const { forgetAnswers } = await import('./chatbot/feedback/forget-answers.ts');
    return openEngine(foundation, {
      ...readers,
      vectors,
      inference,
      slots,
      chatbot,
      forgetAnswers: (bot, document) => forgetAnswers(foundation.database, bot, document),
    });
  });
  const part = index.openDocumentIndex(foundation, { vectors, engine, search: engine.search, slots });
  const close = async () => {
    await part.close?.();
    await engine.close();
  };
  return { bots: part.bots, part: { ...part, close } };
}

/** The chatbot without the index has the vectors of its bots only in Qdrant, or in files that the index left here. */
async function seeing<Search extends Parameters<typeof refuseUnseen>[0]>(
  { config, database, logger }: Foundation<Config>,
  vectors: VectorStore,
  search: Search,
): Promise<Search | ReturnType<typeof refuseUnseen>> {
  if (config.vectors.url !== undefined) return search;
  const { howToSeeVectors, refuseUnseen: refuse } = await import('./document-index/refuse-unseen.ts');
  if (!database.exclusive) {
    logger.warn(`this process sees no vectors of bots but those in its data folder; ${howToSeeVectors}`);
  }
  return refuse(search, vectors);
}
