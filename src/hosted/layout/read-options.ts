import { LayoutOptions } from '../../contracts/hosted/layout-request.ts';
import { BadRequest, InvalidInput } from '../../contracts/problems.ts';
import { type ChunkingOptions, chunkingProblem } from '../../documents/chunking/chunking-options.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';

/** The options of a form. Lists come repeated or joined; of other fields that come more than once, the first counts. */
export function readOptions(fields: ReadonlyMap<string, string[]>): LayoutOptions {
  const given: Record<string, string | string[]> = {};
  for (const [field, values] of fields) {
    const name = field.replace(/\[\]$/, '');
    if (!Object.hasOwn(LayoutOptions.shape, name) || values.every((value) => value === '')) continue;
    given[name] = isList.has(name) ? [...[given[name] ?? []].flat(), ...values] : (values[0] ?? '');
  }
  const result = LayoutOptions.safeParse(given);
  if (!result.success) throw new InvalidInput(toInputIssues(result.error.issues, 'body', given));
  const problem = result.data.chunking_strategy && chunkingProblem(chunkingOptions(result.data));
  if (problem) throw new BadRequest(problem);
  return result.data;
}

const isList: ReadonlySet<string> = new Set(['languages', 'extract_image_block_types']);

export function chunkingOptions(options: LayoutOptions): ChunkingOptions {
  const { max_characters, new_after_n_chars, overlap, combine_under_n_chars } = options;
  return {
    strategy: options.chunking_strategy ?? 'basic',
    overlapAll: options.overlap_all,
    multipageSections: options.multipage_sections,
    ...(max_characters === undefined ? {} : { maxCharacters: max_characters }),
    ...(new_after_n_chars === undefined ? {} : { newAfterCharacters: new_after_n_chars }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(combine_under_n_chars === undefined ? {} : { combineUnderCharacters: combine_under_n_chars }),
  };
}
