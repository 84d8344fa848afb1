import { describe, expect, it } from 'vitest';
import { RegisterRequest } from './accounts.ts';
import { LayoutResponse } from './layout-elements.ts';
import { LayoutOptions } from './layout-request.ts';

describe('LayoutOptions', () => {
  it('has defaults, and ignores what other servers of this API know', () => {
    expect(LayoutOptions.parse({ hi_res_model_name: 'yolox', split_pdf_page: 'true' })).toEqual({
      strategy: 'auto',
      output_format: 'application/json',
      coordinates: false,
      xml_keep_tags: false,
      languages: [],
      overlap_all: false,
      multipage_sections: true,
      include_orig_elements: true,
      include_page_breaks: false,
      unique_element_ids: false,
      extract_image_block_types: [],
    });
  });

  it.each([[['rus', 'eng']], ['rus,eng'], ['rus+eng'], ['["rus","eng"]'], [['rus+eng']], [' rus , eng ,']])(
    'reads the languages of %j',
    (languages) => {
      expect(LayoutOptions.parse({ languages }).languages).toEqual(['rus', 'eng']);
    },
  );

  it.each([
    ['true', true],
    ['True', true],
    ['FALSE', false],
    ['0', false],
  ])('reads %j as %j', (coordinates, expected) => {
    expect(LayoutOptions.parse({ coordinates }).coordinates).toBe(expected);
  });

  it.each([
    { strategy: 'magic' },
    { output_format: 'text/html' },
    { chunking_strategy: 'by_mood' },
    { coordinates: 'perhaps' },
    { max_characters: 'many' },
    { overlap: '-1' },
    { starting_page_number: '1.5' },
  ])('refuses %j', (fields) => {
    expect(LayoutOptions.safeParse(fields).error?.issues[0]?.path).toEqual(Object.keys(fields));
  });
});

it('one file gives elements, several give arrays of them', () => {
  const element = {
    type: 'Title',
    element_id: 'a'.repeat(32),
    text: 'Договор',
    metadata: { filename: 'договор.pdf', page_number: 1, languages: ['rus'], data_source: {} },
  };
  expect(LayoutResponse.parse([element])).toEqual([element]);
  expect(LayoutResponse.parse([[element], []])).toEqual([[element], []]);
  expect(LayoutResponse.safeParse([{ ...element, type: 'Poem' }]).success).toBe(false);
});

describe('RegisterRequest', () => {
  it.each([{ email: 'a@example.org' }, { email: 'a@example.org', name: 'Анна' }])('takes %j', (body) => {
    expect(RegisterRequest.parse(body)).toEqual(body);
  });

  it.each([
    [{}, ['email']],
    [{ email: 'nobody' }, ['email']],
    [{ email: 'a@example.org', name: ' ' }, ['name']],
    [{ email: 'a@example.org', admin: true }, []],
  ])('refuses %j', (body, path) => {
    expect(RegisterRequest.safeParse(body).error?.issues[0]?.path).toEqual(path);
  });

  it('says what is wrong with an address in words, not by a pattern', () => {
    const { error } = RegisterRequest.safeParse({ email: 'nobody' });
    expect(error?.issues[0]?.message).toBe('must be an e-mail address');
  });
});
