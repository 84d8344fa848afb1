import type { CommandResult, CommandType } from '../contracts/document-index/commands.ts';
import type { WorkItem } from '../platform/queue/work-item.ts';
import type { StoredDocument } from './tables.ts';

/**
 * Kinds of work. Everything that indexes is one kind, since the queue keeps the order of items only within a kind, and
 * an urgent creation must run before all other creations and documents.
 */
export const indexingKind = 'INDEX_DOCUMENTS';
export const removalKind = 'REMOVE_DOCUMENTS';
export const reembedKind = 'REEMBED_BOT';
export const commandKinds = [indexingKind, removalKind];

export const priorities = { cleanUp: 100, urgent: 50, usual: 0, scheduled: -50, background: -100 };

/** Work of one bot runs one after another. */
export const botKey = (bot: string) => `bot:${bot}`;
/** Held by commands that concern this document alone. */
export const documentKey = (bot: string, name: string) => `document:${bot}/${name}`;

export interface IndexingPayload {
  type: 'create_bot' | 'add_document' | 'sync_bot';
  bot: string;
  /** Replaces the bot's story once the documents are there; absent if it stays as it is. */
  userStory?: string;
  /** Key of the sealed source descriptors. */
  sources?: string;
  /** Seconds between syncs from now on; absent if it stays as it is. */
  syncEvery?: number;
}

/** `clean_up` removes what canceled and failed commands have left; users don't see it. */
export interface RemovalPayload {
  type: 'delete_bot' | 'delete_document' | 'remove_source' | 'clean_up';
  bot: string;
  document?: string;
  /** Of `remove_source`: its id, and whether its documents stay. */
  source?: number;
  keep?: boolean;
}

export interface ReembedPayload {
  bot: string;
  model: string | null;
}

/** What a command keeps as its result. */
export interface StoredResult extends CommandResult {
  /** Why the whole command counts as failed. */
  error?: string | null;
}

/** What the result says of versions that were built with a warning. */
export function warningsOf(
  built: readonly Pick<StoredDocument, 'name' | 'error'>[],
): Pick<StoredResult, 'warnings'> {
  const warnings = built.flatMap(({ name, error }) => (error === null ? [] : [{ name, warning: error }]));
  return warnings.length > 0 ? { warnings } : {};
}

export const typeOf = (item: WorkItem) => (item.payload as { type: CommandType | 'clean_up' }).type;
export const isCommand = (item: WorkItem) => commandKinds.includes(item.kind) && typeOf(item) !== 'clean_up';
