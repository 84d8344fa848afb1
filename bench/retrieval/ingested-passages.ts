import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { contextLine } from '../../src/document-index/ingestion/chunks/context-line.ts';
import { documentTitle } from '../../src/document-index/ingestion/chunks/document-title.ts';
import { draftChunks } from '../../src/document-index/ingestion/chunks/draft-chunks.ts';
import { ingestionFields } from '../../src/document-index/ingestion/ingestion-settings.ts';
import type { DocumentElement } from '../../src/documents/element.ts';
import { openDocuments } from '../../src/documents/read-document.ts';
import { documentSettings } from '../../src/documents/settings.ts';
import type { EvaluationPassage } from './evaluation-set.ts';

/** The chunks that ingestion makes of the documents of an evaluation folder, with its settings as they are by default. */
export async function ingestedPassages(folder: string): Promise<EvaluationPassage[]> {
  const { chunk_characters, table_characters } = z.object(ingestionFields).parse({});
  const documents = openDocuments(documentSettings.documents.parse({ workers: 1 }));
  const passages: EvaluationPassage[] = [];
  try {
    for (const name of readdirSync(join(folder, 'documents')).sort()) {
      const path = join(folder, 'documents', name);
      const elements: DocumentElement[] = [];
      for await (const element of documents.read({ path, name })) elements.push(element);
      const title = documentTitle(elements, name);
      const locate = locator(readFileSync(path, 'utf8'));
      for (const draft of draftChunks(elements, { text: chunk_characters, table: table_characters })) {
        const place = locate(draft.text);
        if (!place) throw new Error(`A chunk of '${name}' is not in it: ${draft.text.slice(0, 80)}`);
        const context = contextLine(title, draft);
        passages.push({ id: passages.length + 1, document: name, ...place, text: draft.text, context });
      }
    }
  } finally {
    await documents.close();
  }
  return passages;
}

/** Characters of a chunk's beginning and end that are looked for; markup between them may be gone. */
const anchor = 24;

/**
 * Finds chunks in the source, in their order. Readers change white space and leave out markup, so only letters and digits
 * are compared. Offsets count code points.
 */
function locator(source: string): (text: string) => { start: number; end: number } | null {
  const isKept = (character: string) => /[\p{L}\p{N}]/u.test(character);
  const places: number[] = [];
  let kept = '';
  for (const [at, character] of [...source].entries()) {
    if (!isKept(character)) continue;
    for (let unit = 0; unit < character.length; unit++) places.push(at);
    kept += character;
  }
  const find = (part: (length: number) => string, from: number, size: number) => {
    for (let length = Math.min(anchor, size); length > 4; length -= 4) {
      const at = kept.indexOf(part(length), from);
      if (at !== -1 && at - from <= 2 * size + anchor) return { at, length };
    }
    return null;
  };
  let last = 0;
  return (text) => {
    const wanted = [...text].filter(isKept).join('');
    const size = wanted.length;
    const first = find((length) => wanted.slice(0, length), last, kept.length);
    if (!first) return null;
    const final = find(
      (length) => wanted.slice(-length),
      Math.max(first.at, first.at + size - 2 * anchor),
      size,
    );
    last = final ? final.at : first.at + 1;
    const end = final ? final.at + final.length : Math.min(kept.length, first.at + size);
    return { start: places[first.at] ?? 0, end: (places[end - 1] ?? 0) + 1 };
  };
}
