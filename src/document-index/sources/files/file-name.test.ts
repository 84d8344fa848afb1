import { describe, expect, it } from 'vitest';
import { cleanName, nameInHeader, nameInUrl, withExtension } from './file-name.ts';

/** A header as Node hands it over: bytes as Latin-1. */
const received = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const in1251 = (bytes: number[]) => Buffer.from(bytes).toString('latin1');

describe('nameInHeader', () => {
  it.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['inline;filename=report.pdf;size=12', 'report.pdf'],
    ['attachment; filename="a \\"b\\" c.pdf"', 'a "b" c.pdf'],
    [
      "attachment; filename*=UTF-8''%D0%94%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80%20%E2%84%96%205.docx",
      'Договор № 5.docx',
    ],
    [`attachment; filename="Dogovor.docx"; filename*=utf-8'ru'%D0%94%D0%BE%D0%B3.docx`, 'Дог.docx'],
    ["attachment; filename*=iso-8859-1''na%EFve.txt", 'naïve.txt'],
    ["attachment; filename*=windows-1251''%C4%EE%E3.txt", 'Дог.txt'],
    [received('attachment; filename="Договор.docx"'), 'Договор.docx'],
    [`attachment; filename="${in1251([0xc4, 0xee, 0xe3])}.docx"`, 'Дог.docx'],
    ['attachment; filename="%D0%94%D0%BE%D0%B3.docx"', 'Дог.docx'],
    ['attachment; filename="100%.txt"', '100%.txt'],
    ['attachment; filename="=?UTF-8?B?0JTQvtCzLmRvY3g=?="', 'Дог.docx'],
    ['attachment; filename="=?utf-8?Q?=D0=94=D0=BE=D0=B3_1.docx?="', 'Дог 1.docx'],
    ['attachment; filename="C:\\\\Users\\\\x\\\\report.pdf"', 'report.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ["attachment; filename*=UTF-8''..%2F..%2Fx.pdf", 'x.pdf'],
    ['attachment; filename="a\r\nb.pdf"', 'a b.pdf'],
  ])('%s', (header, name) => expect(nameInHeader(header)).toBe(name));

  it.each([undefined, '', 'attachment', 'inline; filename=', 'attachment; notfilename="x"'])(
    '%s has none',
    (header) => expect(nameInHeader(header)).toBeUndefined(),
  );
});

describe('nameInUrl', () => {
  it.each([
    ['https://example.com/docs/report.pdf?version=2#page=3', 'report.pdf'],
    ['https://example.com/%D0%94%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80.docx', 'Договор.docx'],
    ['https://example.com/Договор 5.docx', 'Договор 5.docx'],
    ['https://example.com/%C4%EE%E3.docx', 'Дог.docx'],
    ['https://example.com/folder/', 'folder'],
    ['https://example.com/', 'example.com'],
    ['https://example.com/download.php?file=/var/www/%D0%9F%D0%BB%D0%B0%D0%BD.xlsx', 'План.xlsx'],
    ['https://example.com/get?id=5&filename=plan.xlsx', 'plan.xlsx'],
    ['https://example.com/a%2Fb%2Fc.pdf', 'c.pdf'],
    ['https://example.com/%00', 'document'],
    ['https://example.com/constructor', 'constructor'],
  ])('%s', (url, name) => expect(nameInUrl(url)).toBe(name));
});

it('adds an ending only where there is none', () => {
  expect(withExtension('report', 'application/pdf; charset=binary')).toBe('report.pdf');
  expect(withExtension('report.docx', 'application/pdf')).toBe('report.docx');
  expect(withExtension('report', 'text/html')).toBe('report');
  expect(withExtension('Приказ № 5', 'text/csv')).toBe('Приказ № 5.csv');
  expect(withExtension('x', 'constructor')).toBe('x');
});

it('makes names short, in one line and without paths', () => {
  expect(cleanName('a/b\\c\n d\u202egpj.exe')).toBe('a_b_c d gpj.exe');
  expect(['', ' ', '.', '..'].map(cleanName)).toEqual(['document', 'document', 'document', 'document']);
  expect(cleanName('\u200e .pdf')).toBe('document.pdf');
  const long = cleanName(`${'Очень длинное название '.repeat(20)}.docx`);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(200);
  expect(long).toMatch(/\.docx$/);
  expect(cleanName('e\u0308.txt')).toBe('ë.txt');
});
