import type { PreviewResponse } from '../../../contracts/document-index/sources.ts';
import { countOf } from '../../../platform/count-of.ts';
import { openManagement } from '../../server/management-api.ts';
import type { ServerOptions } from '../../server/server-options.ts';
import { size } from '../../terminal/amounts.ts';
import { print, printJson, tell } from '../../terminal/print.ts';
import { table } from '../../terminal/table.ts';
import { paths } from '../index-paths.ts';
import { completeSources, type SourceOptions } from './complete-sources.ts';
import type { NamedSource } from './source-option.ts';

/** Shows what an indexing of sources would take, and what not and why. */
export async function previewSources(
  sources: readonly NamedSource[],
  options: ServerOptions & SourceOptions & { json?: boolean },
): Promise<void> {
  const descriptors = await completeSources(sources, options);
  const api = await openManagement(options);
  const urls = descriptors.map((text) => JSON.parse(text) as unknown);
  const preview = await api.call<PreviewResponse>('POST', paths.preview, { urls });
  const { documents, forbidden } = preview;
  if (documents.length === 0) process.exitCode = 1;
  if (options.json) return printJson(preview);
  if (documents.length > 0) {
    const rows = documents.map(({ name, bytes, url }) => [name, bytes === null ? '–' : size(bytes), url]);
    print(table(['DOCUMENT', 'SIZE', 'ADDRESS'], rows));
  }
  for (const { url, reason } of forbidden) tell(`not indexed: ${url}: ${reason}`);
  const isWhole = documents.every(({ bytes }) => bytes !== null);
  const known = documents.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const sizes = known > 0 ? `, ${isWhole ? '' : 'more than '}${size(known)} in total` : '';
  const count = countOf(documents.length, 'document');
  tell(`${count} would be indexed${sizes}; ${forbidden.length} would not`);
}
