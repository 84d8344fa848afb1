/** Controls but the line feed, formats such as directions and joiners, and variation selectors. */
const unseen = /[^\P{Cc}\n]|\p{Cf}|\p{Variation_Selector}/gu;

/** Text of one line, such as a title. */
export const cleanLine = (text: string): string => cleanText(text.replace(/\s+/g, ' ')).trim();

/** Text as fonts can show it: composed, without controls and signs that have no look of their own. */
export function cleanText(text: string): string {
  if (/^[\n\x20-\x7e]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll('\t', '    ')
    .replace(unseen, '')
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/[\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
}
