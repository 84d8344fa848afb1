export interface ChunkingOptions {
  strategy: 'basic' | 'by_title';
  /** No chunk is longer. Characters are UTF-16 code units. */
  maxCharacters?: number;
  /** A chunk of this length takes no further element. Default: `maxCharacters`. */
  newAfterCharacters?: number;
  /** Characters that the second part of a split text repeats. */
  overlap?: number;
  /** Also repeats the end of each chunk at the start of the next. */
  overlapAll?: boolean;
  /** by_title: sections shorter than this join the next. Default: `maxCharacters`. */
  combineUnderCharacters?: number;
  /** by_title: whether a section may go on over a page. */
  multipageSections?: boolean;
  /** Whether parts of a table repeat its header rows. */
  repeatTableHeaders?: boolean;
  /** Where long text is split: at line ends and spaces, as Unstructured does, or at ends of sentences first. */
  splitAt?: 'words' | 'sentences';
}

export interface ChunkingLimits {
  byTitle: boolean;
  most: number;
  soft: number;
  overlap: number;
  overlapBetween: number;
  combineUnder: number;
  multipage: boolean;
  repeatHeaders: boolean;
  sentences: boolean;
}

/** What is wrong with the options, in Unstructured's words. */
export function chunkingProblem(options: ChunkingOptions): string | undefined {
  const most = options.maxCharacters ?? 500;
  const { newAfterCharacters: soft = 0, overlap = 0, combineUnderCharacters: combine = 0 } = options;
  if (most <= 0) return `'max_characters' argument must be > 0, got ${most}`;
  if (soft < 0) return `'new_after_n_chars' argument must be >= 0, got ${soft}`;
  if (overlap < 0) return `'overlap' argument must be >= 0, got ${overlap}`;
  if (overlap >= most)
    return `'overlap' argument must be less than \`max_characters\`, got ${overlap} >= ${most}`;
  if (combine < 0) return `'combine_text_under_n_chars' argument must be >= 0, got ${combine}`;
  if (options.strategy === 'by_title' && combine > most) {
    return `'combine_text_under_n_chars' argument must not exceed \`max_characters\` value, got ${combine} > ${most}`;
  }
  return undefined;
}

export function chunkingLimits(options: ChunkingOptions): ChunkingLimits {
  const problem = chunkingProblem(options);
  if (problem) throw new RangeError(problem);
  const byTitle = options.strategy === 'by_title';
  const most = options.maxCharacters ?? 500;
  const soft = Math.min(options.newAfterCharacters ?? most, most);
  const overlap = options.overlap ?? 0;
  return {
    byTitle,
    most,
    soft,
    overlap,
    overlapBetween: options.overlapAll ? overlap : 0,
    combineUnder: byTitle ? Math.min(options.combineUnderCharacters ?? most, soft) : 0,
    multipage: options.multipageSections ?? true,
    repeatHeaders: options.repeatTableHeaders ?? true,
    sentences: options.splitAt === 'sentences',
  };
}
