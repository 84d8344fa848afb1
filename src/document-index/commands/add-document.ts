import type { Actor } from '../../contracts/actor.ts';
import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Unprocessable } from '../../contracts/problems.ts';
import type { Session } from '../../platform/database/database.ts';
import { nameOfLink } from '../documents/document-name.ts';
import type { Upload } from '../documents/uploads.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot } from '../records/bots-store.ts';
import { countDocuments, insertDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { enqueueCommand, recordCommand, refuseBusyDocument } from './accept-command.ts';
import { linkedDocuments, shownUrl, uploadedDocument } from './new-documents.ts';
import { sealSources } from './sealed-sources.ts';

/** Accepts a new document of a bot, or a new version of one that it has. */
export async function addDocument(
  deps: IndexDependencies,
  actor: Actor,
  { bot, upload }: { bot: string; upload: Upload },
): Promise<CommandAccepted> {
  const { database, clock } = deps;
  return database.transaction(async (session) => {
    await refuseImpossible(deps, session, bot, upload.name);
    const { id } = await enqueueCommand(deps, session, {
      payload: { type: 'add_document', bot },
      document: upload.name,
    });
    await insertDocuments(session, [uploadedDocument({ bot, command: id, now: clock.now() }, upload)]);
    await recordCommand(deps, session, actor, {
      action: 'document.add',
      subject: upload.name,
      details: { bot, command: id, bytes: upload.bytes, sha256: upload.sha256 },
    });
    return { command_id: id };
  });
}

/** Accepts what a link or another source holds. */
export async function addSource(
  deps: IndexDependencies,
  actor: Actor,
  { bot, source }: { bot: string; source: SourceDescriptor },
): Promise<CommandAccepted> {
  const { database, clock } = deps;
  const name = source.type === 'direct_link' ? nameOfLink(source.url) : undefined;
  const sealed = await sealSources(deps, bot, [source]);
  try {
    return await database.transaction(async (session) => {
      await refuseImpossible(deps, session, bot, name ?? null);
      const { id } = await enqueueCommand(deps, session, {
        payload: { type: 'add_document', bot, sources: sealed },
        document: name,
      });
      await insertDocuments(session, linkedDocuments({ bot, command: id, now: clock.now() }, [source]));
      await recordCommand(deps, session, actor, {
        action: 'document.add',
        subject: name ?? shownUrl(source.url),
        details: { bot, command: id, source: source.type, url: shownUrl(source.url) },
      });
      return { command_id: id };
    });
  } catch (error) {
    await deps.blobs.delete(sealed);
    throw error;
  }
}

async function refuseImpossible(
  deps: IndexDependencies,
  session: Session,
  bot: string,
  name: string | null,
): Promise<void> {
  await lockBot(session, bot);
  await requireBot(session, bot);
  await refuseBusyDocument(deps, bot, name, session);
  const { max_documents } = deps.settings;
  if ((await countDocuments(session, bot)) >= max_documents) {
    throw new Unprocessable(`a bot can have at most ${max_documents} documents`);
  }
}
