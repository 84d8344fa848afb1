import type { DocumentElement, Region } from '../element.ts';
import { Unreadable } from '../unreadable.ts';
import type { JobOptions } from '../workers/job.ts';
import type { WorkerPool } from '../workers/open-worker-pool.ts';
import type { PagedInput } from './read-paged.ts';

/** Gives elements of the kinds that are asked for a picture of their first region. Pages are drawn in parallel. */
export async function* withPictures(
  pool: WorkerPool,
  { path, type, options, mostPictures }: PagedInput,
  source: AsyncIterable<DocumentElement>,
  job: JobOptions,
): AsyncGenerator<DocumentElement> {
  const elements: DocumentElement[] = [];
  for await (const element of source) elements.push(element);
  const kinds = new Set(options.pictures?.map((kind) => kind.toLowerCase()));
  const wanted = elements.filter(({ kind, regions }) => kinds.has(kind.toLowerCase()) && regions.length > 0);
  const pages = Map.groupBy(wanted, ({ regions }) => regions[0]?.page ?? 0);
  let size = 0;
  const drawing = [...pages].map(async ([number, own]) => {
    const [{ pageWidth: width, turned }] = own.map(({ regions }) => regions[0]) as [Region];
    const boxes = own.map(({ regions }) => (regions[0] as Region).box);
    const cut = pool.run<string>('cut-page', { path, type, page: { number, turned, width, boxes } }, job);
    let at = 0;
    for await (const picture of cut) {
      size += picture.length;
      if (size > mostPictures) throw new Unreadable('too large', tooLarge(mostPictures));
      (own[at] as DocumentElement).picture = picture;
      at += 1;
    }
  });
  await Promise.all(drawing).catch(async (error) => {
    await Promise.allSettled(drawing);
    throw error;
  });
  yield* elements;
}

const tooLarge = (bytes: number) =>
  `The pictures of the elements have more than ${Math.round(bytes / 2 ** 20)} MiB.`;
