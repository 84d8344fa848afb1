import { TextDecoder } from 'node:util';

const labels = new Map([
  [437, 'windows-1252'],
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10000, 'macintosh'],
  [10007, 'x-mac-cyrillic'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [28592, 'iso-8859-2'],
  [28595, 'iso-8859-5'],
  [65001, 'utf-8'],
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page): [number, string] => [
    page,
    `windows-${page}`,
  ]),
]);

/** Windows' character sets of fonts, as code pages. */
const charsets = new Map([
  [77, 10000],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
]);

export const codePageOfCharset = (charset: number): number | undefined => charsets.get(charset);
const decoders = new Map<string, TextDecoder>();

/** Decoders are kept: an RTF file changes its font at every other word. */
export function decoderOfCodePage(page: number): TextDecoder {
  const label = labels.get(page) ?? 'windows-1252';
  const decoder = decoders.get(label) ?? new TextDecoder(label);
  decoders.set(label, decoder);
  return decoder;
}
