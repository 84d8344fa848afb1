import { assemble } from '../assembly/assemble.ts';
import type { FileType } from '../detection/file-types.ts';
import { numberElements } from '../drafts/number-elements.ts';
import type { PageContent, PageShortfall, PageSource } from '../layout/page-content.ts';
import { PageReader } from '../pages/page-reader.ts';
import type { LayoutModels } from '../vision/models.ts';
import type { PagedOptions, PagedReader, PageMethod } from './paged-reader.ts';

const methods: Record<PageSource, PageMethod> = { text: 'fast', vision: 'hi_res', ocr: 'ocr_only' };
const notes: Record<PageShortfall, string> = {
  'no models': 'some pages were read without the layout models (roundhouse setup layout)',
  'no OCR': 'some pages could not be read by OCR: Tesseract is not installed',
};

let opened: { key: string; reader: PageReader } | undefined;

/** A worker keeps its reader, with the models that it has loaded, until it is asked for others. */
function readerWith(models: Record<string, string> | undefined): PageReader {
  const key = JSON.stringify(models ?? null);
  if (opened?.key !== key) {
    void opened?.reader.close();
    opened = { key, reader: new PageReader({ models: modelsIn(models) }) };
  }
  return opened.reader;
}

/** All four are needed. */
function modelsIn(models: Record<string, string> | undefined): LayoutModels | undefined {
  const { layout, table, orientation, lines } = models ?? {};
  return layout && table && orientation && lines ? { layout, table, orientation, lines } : undefined;
}

const kindOf = (type: FileType) => (type === 'pdf' ? 'pdf' : 'image');

/** PDF files and pictures, as the pool of workers reads them. */
export const pagesOfFiles: PagedReader<PageContent> = {
  countPages: (path, type) => (opened?.reader ?? readerWith(undefined)).countPages(path, kindOf(type)),
  drawPage: (path, type, page) =>
    (opened?.reader ?? readerWith(undefined)).drawPage(path, kindOf(type), page),
  cutPage: (path, type, page) => (opened?.reader ?? readerWith(undefined)).cutPage(path, kindOf(type), page),
  async *readPages(path, type, { first, last }, { strategy, languages, models }) {
    const reader = readerWith(models);
    const options = { strategy, languages, pages: { from: first, to: last } };
    const pages = type === 'pdf' ? reader.readPdf(path, options) : reader.readImage(path, options);
    for await (const page of pages) {
      const { number, source, shortfall } = page;
      const report = { page: number, method: methods[source] };
      yield { page, report: shortfall ? { ...report, notes: [notes[shortfall]] } : report };
    }
  },
  assemble: (pages, { pageBreaks, languages }: PagedOptions) =>
    numberElements(assemble(pages), {
      ...(pageBreaks ? { pageBreaks } : {}),
      ...(languages.length === 1 ? { languages } : {}),
    }),
};
