import type { PreviewResponse, SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Problem } from '../../contracts/problems.ts';
import { scrub } from '../../platform/telemetry/redaction.ts';
import type { Sources } from './source.ts';

/** What an indexing of these sources would take, and what not and why. Nothing is stored. */
export async function previewSources(
  { sources }: { sources: Pick<Sources, 'list'> },
  descriptors: readonly SourceDescriptor[],
  signal: AbortSignal,
): Promise<PreviewResponse> {
  const preview: PreviewResponse = { documents: [], forbidden: [] };
  for (const descriptor of descriptors) {
    try {
      for await (const { name, url, size, problem } of sources.list(descriptor, { signal })) {
        if (problem === undefined) preview.documents.push({ name, url: scrub(url), bytes: size });
        else preview.forbidden.push({ url: scrub(url), reason: scrub(problem) });
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem)) throw error;
      preview.forbidden.push({ url: scrub(descriptor.url), reason: scrub(error.message) });
    }
  }
  return preview;
}
