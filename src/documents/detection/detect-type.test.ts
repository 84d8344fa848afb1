import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';
import { typeOfSignature } from './magic.ts';
import { typeOfText } from './text-type.ts';

const russian =
  'Съешь ещё этих мягких французских булок, да выпей чаю. Годовой отчёт компании «Ромашка» за 2025 год.';

function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const table = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Buffer.from([...text].map((character) => table.get(character) ?? 63));
}

describe('decodeText', () => {
  it.each(['windows-1251', 'koi8-r', 'ibm866', 'x-mac-cyrillic', 'iso-8859-5'])(
    'knows Russian in %s',
    (encoding) => {
      const text = russian.replace(/[«»]/g, '"');
      expect(decodeText(encoded(text, encoding)).text).toBe(text);
      expect(decodeText(encoded('Привет, мир', encoding)).text).toBe('Привет, мир');
    },
  );

  it('knows Western European text, UTF-8 with a few broken bytes, and UTF-16 with or without a mark', () => {
    const french = 'Voilà un café très agréable, où l’été dure jusqu’à la fête.';
    expect(decodeText(encoded(french, 'windows-1252')).text).toBe(french);
    const broken = Buffer.concat([Buffer.from(russian), Buffer.from([0xff]), Buffer.from(russian)]);
    expect(decodeText(broken).text).toBe(`${russian}\ufffd${russian}`);
    expect(decodeText(Buffer.from(`\ufeff${russian}`, 'utf16le')).text).toBe(russian);
    expect(decodeText(Buffer.from('Plain English text', 'utf16le').swap16()).text).toBe('Plain English text');
  });

  it('knows Chinese and Japanese', () => {
    const gb = Buffer.from(
      'd6d0b9fac8cbc3f1b9b2bacdb9facac7d2bbb8f6b9fabcd2a3acd3d0bac3b6e0b3c7cad0a1a3',
      'hex',
    );
    expect(decodeText(gb).text).toBe('中国人民共和国是一个国家，有好多城市。');
    const japanese = Buffer.from(
      '82b182ea82cd93fa967b8cea82c5827282a981420a93fa967b82cc93738e7382cd939c8b9e82c582b78142',
      'hex',
    );
    expect(decodeText(japanese).encoding).toBe('shift_jis');
  });

  it('takes the caller’s word over all', () => {
    expect(decodeText(Buffer.from('é'), { encoding: 'latin-1' }).text).toBe('Ã©');
    expect(() => decodeText(Buffer.from('x'), { encoding: '__proto__' })).toThrow('not known');
  });
});

describe('types', () => {
  it.each([
    ['<!DOCTYPE html><p>x', undefined, 'html'],
    ['<?xml version="1.0"?>\n<html xmlns="x">', undefined, 'html'],
    ['<?xml version="1.0"?><note/>', 'text', 'xml'],
    ['<note><to>x</to></note>', undefined, 'xml'],
    ['{"a": 1}', 'text', 'text'],
    ['{"a": 1}', undefined, 'json'],
    ['{curly text', 'json', 'text'],
    ['# Title\n\ntext', undefined, 'markdown'],
    ['.. note:: x\n', undefined, 'rst'],
    ['a;b;c\n1;2;3\n4;5;6\n', undefined, 'csv'],
    ['a\tb\n1\t2\n', undefined, 'tsv'],
    ['Dear Anna,\n\nI am well, thank you.\n', undefined, 'text'],
    ['Received: from a\nFrom: a@b.c\nSubject: x\nDate: now\n\ntext', 'text', 'eml'],
    ['{\\rtf1 x}', 'text', 'rtf'],
    ['just, words\n', 'docx', 'text'],
  ] as const)('%j named %s is %s', (text, named, type) => {
    expect(typeOfText(text, named)).toBe(type);
  });

  it('knows signatures', () => {
    expect(typeOfSignature(Buffer.from('junk\n%PDF-1.7'))).toBe('pdf');
    expect(typeOfSignature(Buffer.from('RIFF\0\0\0\0WEBPVP8 '))).toBe('webp');
    expect(typeOfSignature(Buffer.from('\0\0\0\x18ftypheic', 'latin1'))).toBe('heic');
    expect(typeOfSignature(Buffer.from('BM'))).toBeUndefined();
  });
});
