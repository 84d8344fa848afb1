import type { FileType } from '../detection/file-types.ts';
import type { Drafts } from '../drafts/draft.ts';
import type { FormatInput } from './format-input.ts';
import { readEml } from './mail/read-eml.ts';
import { readMsg } from './mail/read-msg.ts';
import { readLegacy } from './office/convert-legacy.ts';
import { readDocx } from './office/docx/read-docx.ts';
import { readPptx } from './office/pptx/read-pptx.ts';
import { readXlsx } from './office/xlsx/read-xlsx.ts';
import { readOdp } from './opendocument/read-odp.ts';
import { readOds } from './opendocument/read-ods.ts';
import { readOdt } from './opendocument/read-odt.ts';
import { readCsv, readTsv } from './plain/read-delimited.ts';
import { readJson } from './plain/read-json.ts';
import { readPlainText } from './plain/read-plain-text.ts';
import { readRst } from './rst/read-rst.ts';
import { readRtf } from './rtf/read-rtf.ts';
import { readEpub } from './web/read-epub.ts';
import { readHtml } from './web/read-html.ts';
import { readMarkdown } from './web/read-markdown.ts';
import { readXml } from './web/read-xml.ts';

type FormatReader = (input: FormatInput) => Drafts;

const readers = new Map<FileType, FormatReader>([
  ['docx', readDocx],
  ['pptx', readPptx],
  ['xlsx', readXlsx],
  ['odt', readOdt],
  ['ods', readOds],
  ['odp', readOdp],
  ['doc', readLegacy('doc')],
  ['ppt', readLegacy('ppt')],
  ['xls', readLegacy('xls')],
  ['epub', readEpub],
  ['rtf', readRtf],
  ['html', readHtml],
  ['xml', readXml],
  ['markdown', readMarkdown],
  ['rst', readRst],
  ['json', readJson],
  ['csv', readCsv],
  ['tsv', readTsv],
  ['eml', readEml],
  ['msg', readMsg],
  ['text', readPlainText],
]);

/** The reader of a format without page images; PDF files and pictures have theirs in their own rooms. */
export const formatReader = (type: FileType): FormatReader | undefined => readers.get(type);
