import { createHash } from 'node:crypto';

interface Identified {
  text: string;
  page: number | undefined;
}

/**
 * Ids as the Unstructured API computes them: of the file's name, the text, the page and the position on the page, with
 * `None` for what is missing. Its clients compare them between runs.
 */
export function elementIds(filename: string, elements: readonly Identified[]): string[] {
  let position = -1;
  let page: number | undefined;
  return elements.map((element, index) => {
    position = index > 0 && element.page === page ? position + 1 : 0;
    page = element.page;
    const text = `${filename || 'None'}${element.text}${element.page ?? 'None'}${position}`;
    return createHash('sha256').update(text).digest('hex').slice(0, 32);
  });
}
