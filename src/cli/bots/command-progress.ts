import type { CommandStatus } from '../../contracts/document-index/commands.ts';
import { countOf } from '../../platform/count-of.ts';

const width = 24;

/** A bar over the documents, with the chunks of the current one. The current document counts by its share. */
export function commandLine({ status, progress }: Pick<CommandStatus, 'status' | 'progress'>): string {
  if (!progress || progress.documents.total === 0) {
    return status === 'pending' ? 'waiting to start …' : 'working …';
  }
  const { documents, current_document: current } = progress;
  const started = current.total > 0 ? Math.min(1, current.complete / current.total) : 0;
  const done = documents.complete + (documents.complete < documents.total ? started : 0);
  const share = Math.min(1, done / documents.total);
  const filled = Math.round(share * width);
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  const chunks = current.total > 0 ? `, chunk ${current.complete} of ${current.total}` : '';
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${documents.complete} of ${countOf(documents.total, 'document')}${chunks}`;
}
