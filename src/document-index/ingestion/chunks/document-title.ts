import type { DocumentElement } from '../../../documents/element.ts';

const longest = 200;
/** A title that comes later is one of a section. */
const elementsSearched = 25;

/** The subject of a mail, the first title of the document, or the name of its file. */
export function documentTitle(elements: readonly DocumentElement[], fileName: string): string {
  const start = elements.slice(0, elementsSearched);
  const subject = start.find(({ mail }) => mail?.subject)?.mail?.subject;
  const titles = start
    .filter(({ kind, page }) => kind === 'Title' && (page ?? 1) === 1)
    .map(({ text }) => text);
  const found = [subject ?? '', ...titles].map(tidy).find(isTitle);
  return found ?? (titleOfFile(fileName) || fileName);
}

const tidy = (text: string) => text.replace(/\s+/gu, ' ').trim();
const isTitle = (text: string) => text.length <= longest && (text.match(/\p{L}/gu)?.length ?? 0) >= 3;

const titleOfFile = (name: string) =>
  tidy(name.replace(/\.[\p{L}\p{N}]{1,8}$/u, '').replace(/[_+]+/g, ' ')).slice(0, longest);
