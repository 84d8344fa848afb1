import { z } from 'zod';
import { BinaryFile, TextBoolean, TextFlag, TextInteger, TextList } from '../fields.ts';

const size = TextInteger.refine((value) => value >= 0, 'must not be negative').optional();

const layoutOptionFields = {
  strategy: z.enum(['auto', 'fast', 'hi_res', 'ocr_only']).default('auto'),
  output_format: z.enum(['application/json', 'text/csv']).default('application/json'),
  coordinates: TextFlag,
  xml_keep_tags: TextFlag,
  languages: TextList.refine(
    (list) => list.length <= 50 && list.every((code) => /^[a-z][\w/-]{0,31}$/i.test(code)),
    'must be at most 50 codes of languages, such as rus',
  )
    .default([])
    .describe('Tesseract codes, such as `rus` and `eng`'),
  chunking_strategy: z.enum(['basic', 'by_title']).optional(),
  max_characters: size,
  new_after_n_chars: size,
  overlap: size,
  overlap_all: TextFlag,
  combine_under_n_chars: size,
  multipage_sections: TextBoolean.default(true).meta({ default: true }),
  include_orig_elements: TextBoolean.default(true).meta({ default: true }),
  include_page_breaks: TextFlag,
  starting_page_number: TextInteger.optional(),
  unique_element_ids: TextFlag,
  encoding: z.string().min(1).max(64).optional(),
  extract_image_block_types: TextList.default([]).describe(
    'Types of elements that come with their picture, such as `Image` and `Table`',
  ),
};

/** The text fields of the form, with `name[]` read as `name`. Other fields that Unstructured's clients send are ignored. */
export const LayoutOptions = z.object(layoutOptionFields).meta({ id: 'LayoutOptions' });
export type LayoutOptions = z.infer<typeof LayoutOptions>;

/** The whole multipart form, for the OpenAPI document. */
export const LayoutForm = z
  .object({
    files: z.array(BinaryFile).min(1),
    ...layoutOptionFields,
    'languages[]': z.array(z.string()).optional().describe('The same as `languages`'),
  })
  .meta({ id: 'LayoutForm' });
export type LayoutForm = z.infer<typeof LayoutForm>;
