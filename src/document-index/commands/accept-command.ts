import type { Actor } from '../../contracts/actor.ts';
import type { AuditAction } from '../../contracts/management/audit.ts';
import { Conflict } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { Session } from '../../platform/database/database.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import {
  botKey,
  documentKey,
  type IndexingPayload,
  indexingKind,
  isCommand,
  priorities,
  type RemovalPayload,
  removalKind,
  typeOf,
} from '../command-work.ts';
import type { IndexDependencies } from '../index-dependencies.ts';

type Queue = Pick<IndexDependencies, 'queue'>;

/** The commands of a bot that have not ended. */
export async function activeCommands({ queue }: Queue, bot: string, session?: Session): Promise<WorkItem[]> {
  return (await queue.active([botKey(bot)], session)).filter(isCommand);
}

/** Creating and deleting a bot exclude every other command. */
export async function refuseBusyBot(deps: Queue, bot: string, session?: Session): Promise<void> {
  const [other] = await activeCommands(deps, bot, session);
  if (other) throw busy(`bot '${bot}'`, other);
}

/** Changes of a document exclude those of the whole bot, and others of the same document. */
export async function refuseBusyDocument(
  deps: Queue,
  bot: string,
  name: string | null,
  session?: Session,
): Promise<void> {
  const commands = await activeCommands(deps, bot, session);
  const whole = commands.find((item) => isWholeBot(item));
  if (whole) throw busy(`bot '${bot}'`, whole);
  const keys = name === null ? [] : [documentKey(bot, name)];
  const [same] = await deps.queue.active(keys, session);
  if (same) throw busy(`document '${name}'`, same);
}

const isWholeBot = (item: WorkItem) => typeOf(item) === 'create_bot' || typeOf(item) === 'delete_bot';

function busy(what: string, item: WorkItem): Conflict {
  return new Conflict(`${what} is busy: command ${item.id} (${typeOf(item)}) has not ended`, {
    code: 'busy',
    retryAfter: 5,
  });
}

interface AcceptedWork {
  payload: IndexingPayload | RemovalPayload;
  /** The document that the command changes, where it is only one. */
  document?: string | undefined;
  urgent?: boolean;
  /** Nobody waits for it. */
  scheduled?: boolean;
  notBefore?: number | undefined;
}

/** Puts a command into the queue, in the transaction that writes what it works on. */
export function enqueueCommand(
  { queue }: Queue,
  session: Session,
  { payload, document, urgent = false, scheduled = false, notBefore }: AcceptedWork,
): Promise<WorkItem> {
  const { type, bot } = payload;
  const indexes = type === 'create_bot' || type === 'add_document' || type === 'sync_bot';
  const usual = urgent ? priorities.urgent : scheduled ? priorities.scheduled : priorities.usual;
  return queue.enqueue(
    {
      kind: indexes ? indexingKind : removalKind,
      name: `${type.toUpperCase()}_${bot}`,
      subject: bot,
      payload,
      priority: type === 'clean_up' ? priorities.cleanUp : usual,
      exclusiveKeys: [botKey(bot), ...(document === undefined ? [] : [documentKey(bot, document)])],
      ...(notBefore === undefined ? {} : { notBefore }),
    },
    session,
  );
}

/** Commands are recorded when they are accepted; they themselves report their outcome. */
export function recordCommand(
  { clock }: Pick<IndexDependencies, 'clock'>,
  session: Session,
  actor: Actor,
  { action, subject, details }: { action: AuditAction; subject: string; details: Record<string, unknown> },
): Promise<void> {
  return recordAction({ session, clock }, actor, { action, subject, details, outcome: 'accepted' });
}
