import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentElement } from '../../../src/documents/element.ts';
import { openDocuments } from '../../../src/documents/read-document.ts';
import { documentSettings } from '../../../src/documents/settings.ts';

/** The library of documents with one worker, which starts with the first file, and a folder for tests. */
export function openTestDocuments() {
  const documents = openDocuments({ ...documentSettings.documents.parse({}), workers: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-documents-'));
  return {
    ...documents,
    folder,
    /** What our own reader finds in a PDF file. */
    async readPdf(pdf: Uint8Array): Promise<{ elements: DocumentElement[]; pages: number | undefined }> {
      const path = join(folder, 'page.pdf');
      writeFileSync(path, pdf);
      const reading = documents.read({ path, name: 'page.pdf' }, { strategy: 'fast' });
      const elements: DocumentElement[] = [];
      for await (const element of reading) elements.push(element);
      return { elements, pages: (await reading.summary).pages };
    },
    async close(): Promise<void> {
      await documents.close();
      rmSync(folder, { recursive: true });
    },
  };
}
