import type { Actor } from '../../contracts/actor.ts';
import { botDefaults } from '../../contracts/document-index/bots.ts';
import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import type { BotCreation } from '../../contracts/document-index/creation.ts';
import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Unprocessable } from '../../contracts/problems.ts';
import type { Session } from '../../platform/database/database.ts';
import { nameUploads, type Upload } from '../documents/uploads.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { findBot, insertBot, lockBot, updateBot } from '../records/bots-store.ts';
import { insertDocuments } from '../records/documents-store.ts';
import { enqueueCommand, recordCommand, refuseBusyBot } from './accept-command.ts';
import { linkedDocuments, uploadedDocument } from './new-documents.ts';
import { sealSources } from './sealed-sources.ts';
import { timeOf } from './time-to-eval.ts';

interface Creation {
  bot: string;
  creation: BotCreation;
  uploads?: readonly Upload[];
  sources?: readonly SourceDescriptor[];
  syncEvery?: number | undefined;
}

/** Accepts the creation of a bot, or its rebuilding where it exists. */
export async function createBot(
  deps: IndexDependencies,
  actor: Actor,
  { bot, creation, uploads = [], sources = [], syncEvery }: Creation,
): Promise<CommandAccepted> {
  const { database, clock, settings } = deps;
  const { kept, dropped } = nameUploads(uploads);
  if (kept.length + sources.length > settings.max_documents) {
    throw new Unprocessable(`a bot can have at most ${settings.max_documents} documents`);
  }
  const sealed = sources.length > 0 ? await sealSources(deps, bot, sources) : undefined;
  const accept = async (session: Session) => {
    await lockBot(session, bot);
    await refuseBusyBot(deps, bot, session);
    const isNew = await ensureBot(deps, session, actor, { bot, creation });
    const { user_story, sync, time_to_eval } = creation;
    const { id } = await enqueueCommand(deps, session, {
      payload: {
        type: 'create_bot',
        bot,
        ...(user_story === '' ? {} : { userStory: user_story }),
        ...(sealed === undefined ? {} : { sources: sealed }),
        ...(syncEvery === undefined ? {} : { syncEvery }),
      },
      urgent: sync,
      notBefore: time_to_eval === undefined ? undefined : timeOf(time_to_eval),
    });
    const owner = { bot, command: id, now: clock.now() };
    const documents = [
      ...kept.map((upload) => uploadedDocument(owner, upload)),
      ...linkedDocuments(owner, sources),
    ];
    await insertDocuments(session, documents);
    await recordCommand(deps, session, actor, {
      action: 'bot.create',
      subject: bot,
      details: { command: id, rebuild: !isNew, files: kept.length, sources: sources.length, sync },
    });
    return id;
  };
  try {
    const command_id = await database.transaction(accept);
    for (const { blob } of dropped) await deps.blobs.delete(blob);
    return { command_id };
  } catch (error) {
    if (sealed !== undefined) await deps.blobs.delete(sealed);
    throw error;
  }
}

/** Returns whether the bot is new. One whose creation was canceled may not have been cleaned up yet. */
async function ensureBot(
  { clock }: IndexDependencies,
  session: Session,
  actor: Actor,
  { bot, creation }: Creation,
): Promise<boolean> {
  const now = clock.now();
  const present = await findBot(session, bot);
  const creator = actor.kind === 'key' ? actor.name : actor.kind;
  const first = { state: 'creating' as const, creator, user_story: creation.user_story, changed_at: now };
  if (present && present.state !== 'deleting') return false;
  if (present) await updateBot(session, bot, first);
  else {
    await insertBot(session, {
      id: bot,
      ...first,
      hello_text: '',
      ...botDefaults,
      example_questions_json: '[]',
      collection: bot,
      embeddings_model: null,
      dimensions: null,
      notes_json: '[]',
      sync_every: null,
      sync_due_at: null,
      created_at: now,
    });
  }
  return true;
}
