import type { LayoutElement } from '../../contracts/hosted/layout-elements.ts';
import type { LayoutOptions } from '../../contracts/hosted/layout-request.ts';
import { Problem } from '../../contracts/problems.ts';
import { chunkElements } from '../../documents/chunking/chunk-elements.ts';
import type { DocumentElement } from '../../documents/element.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Place } from '../../platform/metering/key-limits.ts';
import type { ReceivedFile } from '../../platform/uploads/receive-form.ts';
import type { LayoutDependencies } from './layout-dependencies.ts';
import { chunkingOptions } from './read-options.ts';
import { problemOf } from './unreadable-problems.ts';
import { chunksToWire } from './wire/chunks-to-wire.ts';
import { toWire } from './wire/to-wire.ts';

export interface PartitionedFile {
  elements: LayoutElement[];
  pages: number;
  /** Whether its pages can be read as pictures. */
  isPaged: boolean;
  /** What the caller should know about the way the file was read. */
  notes: string[];
}

interface LayoutRequest {
  files: readonly ReceivedFile[];
  options: LayoutOptions;
  signal: AbortSignal;
  /** What the request holds of its key's limits since before its files came. */
  place: Place;
}

/** The name in the usage report. */
const service = 'layout';

/** Reads the files of a request in parallel, and counts their pages. One that can't be read fails the request. */
export async function partitionFiles(
  { documents, models, metering }: Pick<LayoutDependencies, 'documents' | 'models' | 'metering'>,
  caller: Caller,
  { files, options, signal, place }: LayoutRequest,
): Promise<PartitionedFile[]> {
  // How many pages there are is known only in the end: each file has at least one.
  const entrance = await metering.limits.enter(caller, { pages: files.length }, place);
  if (entrance instanceof Problem) throw entrance;
  const failing = new AbortController();
  const paths = await modelsFor(models, options.strategy);
  const read = {
    documents,
    models: paths,
    options,
    signal: AbortSignal.any([signal, failing.signal]),
    owner: {},
  };
  let pages = 0;
  let failed = true;
  try {
    const results = files.map(async (file) => {
      const result = await partitionFile(read, file, files.length === 1);
      pages += result.pages;
      return result;
    });
    const partitioned = await Promise.all(results).finally(() => failing.abort());
    failed = false;
    // The next request has them.
    if (!paths && partitioned.some(({ isPaged }) => isPaged)) void models?.fetch();
    return partitioned;
  } finally {
    entrance.settle({ pages });
    if (caller.kind === 'key') metering.usage.recordPages(caller.id, service, failed, pages);
  }
}

/** Only who asks for pictures to be read waits for the download of the models. */
function modelsFor(models: LayoutDependencies['models'], strategy: LayoutOptions['strategy']) {
  return strategy === 'hi_res' || strategy === 'ocr_only' ? models?.fetch() : models?.get();
}

interface FileReading {
  documents: LayoutDependencies['documents'];
  models: Record<string, string> | undefined;
  options: LayoutOptions;
  signal: AbortSignal;
  owner: object;
}

async function partitionFile(
  { documents, models, options, signal, owner }: FileReading,
  { path, name: sent, type }: ReceivedFile,
  isAlone: boolean,
): Promise<PartitionedFile> {
  const name = sent.split(/[/\\]/).at(-1) ?? '';
  const reading = documents.read(
    { path, name, type },
    {
      strategy: options.strategy,
      xmlKeepTags: options.xml_keep_tags,
      pageBreaks: options.include_page_breaks,
      owner,
      ...(options.extract_image_block_types.length > 0
        ? { pictures: options.extract_image_block_types }
        : {}),
      ...(models ? { models } : {}),
      ...(options.languages.length > 0 ? { languages: options.languages } : {}),
      ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
    },
    signal,
  );
  const elements: DocumentElement[] = [];
  try {
    for await (const element of reading) elements.push(element);
    const { type: detected, pages = 1, reports } = await reading.summary;
    const file = { name, type: detected };
    return {
      elements: options.chunking_strategy
        ? chunksToWire([...chunkElements(elements, chunkingOptions(options))], file, options)
        : toWire(elements, file, options),
      pages,
      isPaged: reports.length > 0,
      notes: [...new Set(reports.flatMap(({ notes = [] }) => notes))],
    };
  } catch (error) {
    throw problemOf(error, name, isAlone);
  }
}
