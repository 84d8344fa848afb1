import { DeadlineExceeded, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import type { SourceItem } from '../source.ts';

/** A folder, page or place of a source, under the id that its documents have among their `containers`. */
export type Part = Required<Pick<SourceItem, 'id' | 'name' | 'url' | 'path' | 'containers'>>;

/** A failure that concerns the source as a whole: listing its other parts would fail, too. */
export class Unlistable extends Refused {}

/** Folders in folders. Broken and hostile systems have more. */
const mostLevels = 100;

/** Lists a part of a source. If that fails, the part is an item with the reason, and the rest of the source goes on. */
export async function* listPart(
  part: Part,
  items: () => AsyncGenerator<SourceItem>,
): AsyncGenerator<SourceItem> {
  try {
    if (part.containers.length >= mostLevels) {
      throw new Refused(`the source has more than ${mostLevels} levels of folders`);
    }
    yield* items();
  } catch (error) {
    yield unlisted(part, error);
  }
}

/** Lists the outermost part. If nothing in it can be listed, the source as a whole can't. */
export async function* listRoot(
  part: Part,
  items: () => AsyncGenerator<SourceItem>,
): AsyncGenerator<SourceItem> {
  let isEmpty = true;
  try {
    for await (const item of items()) {
      isEmpty = false;
      yield item;
    }
  } catch (error) {
    if (isEmpty) throw error;
    yield unlisted(part, error);
  }
}

function unlisted(part: Part, error: unknown): SourceItem {
  if (!isOfPart(error)) throw error;
  return { ...part, version: null, size: null, problem: error.message, unlisted: true };
}

/** Whether a failure says nothing about the other parts of the source. */
export const isOfPart = (error: unknown): error is UpstreamFailed | Unavailable | DeadlineExceeded =>
  !(error instanceof Unlistable) &&
  (error instanceof UpstreamFailed || error instanceof Unavailable || error instanceof DeadlineExceeded);
