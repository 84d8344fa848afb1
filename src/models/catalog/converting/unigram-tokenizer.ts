import type { SentencePiece } from './sentencepiece.ts';

/** SentencePiece's usual ids. */
const [unknown, begin, end] = [0, 1, 2];

/** A `tokenizer.json` that splits texts like SentencePiece, and frames them with its begin and end tokens. */
export function unigramTokenizer({ pieces, characters }: SentencePiece): object {
  const nameOf = (id: number) => pieces[id]?.text ?? '';
  const special = (id: number) => ({ SpecialToken: { id: nameOf(id), type_id: 0 } });
  const sequence = (id: string) => ({ Sequence: { id, type_id: 0 } });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [unknown, begin, end].map((id) => ({
      id,
      content: nameOf(id),
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Precompiled', precompiled_charsmap: characters.toString('base64') },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
        { type: 'Strip', strip_left: true, strip_right: true },
      ],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special(begin), sequence('A'), special(end)],
      pair: [special(begin), sequence('A'), special(end), sequence('B'), special(end)],
      special_tokens: Object.fromEntries(
        [begin, end].map((id) => [nameOf(id), { id: nameOf(id), ids: [id], tokens: [nameOf(id)] }]),
      ),
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true },
    model: {
      type: 'Unigram',
      unk_id: unknown,
      vocab: pieces.map(({ text, score }) => [text, score]),
    },
  };
}
