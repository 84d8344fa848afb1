import { z } from 'zod';

export const ElementType = z
  .enum([
    'Title',
    'NarrativeText',
    'UncategorizedText',
    'ListItem',
    'Table',
    'Header',
    'Footer',
    'Image',
    'FigureCaption',
    'Formula',
    'Address',
    'EmailAddress',
    'PageBreak',
    'PageNumber',
    'CodeSnippet',
    'CheckBox',
    'CompositeElement',
    'TableChunk',
  ])
  .meta({ id: 'ElementType' });
export type ElementType = z.infer<typeof ElementType>;

const point = z.tuple([z.number(), z.number()]);

export const ElementCoordinates = z
  .object({
    points: z.array(point).describe('Four corners, counterclockwise from the top left'),
    system: z.literal('PixelSpace'),
    layout_width: z.number(),
    layout_height: z.number(),
  })
  .meta({ id: 'ElementCoordinates' });
export type ElementCoordinates = z.infer<typeof ElementCoordinates>;

/** Null and empty values are omitted. */
export const ElementMetadata = z
  .looseObject({
    filename: z.string(),
    filetype: z.string(),
    languages: z.array(z.string()),
    page_number: z.int(),
    page_name: z.string(),
    parent_id: z.string(),
    category_depth: z.int(),
    coordinates: ElementCoordinates,
    url: z.string(),
    text_as_html: z.string(),
    image_base64: z.string().describe('With `extract_image_block_types`: what the element looks like'),
    image_mime_type: z.string(),
    emphasized_text_contents: z.array(z.string()),
    emphasized_text_tags: z.array(z.string()),
    link_texts: z.array(z.string()),
    link_urls: z.array(z.string()),
    sent_from: z.array(z.string()),
    sent_to: z.array(z.string()),
    subject: z.string(),
    orig_elements: z.string().describe('The elements of a chunk as Base64 of zlib-compressed JSON'),
  })
  .partial()
  .meta({ id: 'ElementMetadata' });
export type ElementMetadata = z.infer<typeof ElementMetadata>;

export const LayoutElement = z
  .object({ type: ElementType, element_id: z.string(), text: z.string(), metadata: ElementMetadata })
  .meta({ id: 'LayoutElement' });
export type LayoutElement = z.infer<typeof LayoutElement>;

/** An array of elements for one file; for several files, an array per file in the order they were sent. */
export const LayoutResponse = z
  .union([z.array(LayoutElement), z.array(z.array(LayoutElement))])
  .meta({ id: 'LayoutResponse' });
export type LayoutResponse = z.infer<typeof LayoutResponse>;
