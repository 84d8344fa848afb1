const number =
  /^(?:(?:глава|раздел|статья|часть|пункт|chapter|section|part|article)\s+)?[§№#]?\s*(?:[\divxlc]+[.)]|\d+(?:\.\d+)*)(?:\s*[.):—–-])?\s+/iu;
const common =
  /^(?:(?:table of )?contents|introduction|conclusions?|references|bibliography|appendix.*|annex.*|index|summary|abstract|preface|foreword|notes?|содержание|оглавление|введение|заключение|выводы|приложени[ея].*|список литературы|литература|источники|аннотация|предисловие|примечани[ея])$/iu;

/** A heading as it can be put into a question; undefined where it says nothing, or is no heading. */
export function tidyHeading(heading: string): string | undefined {
  const text = heading
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(number, '')
    .replace(/[\s.,:;–—-]+$/u, '');
  const words = text.match(/\p{L}+/gu) ?? [];
  const letters = words.join('').length;
  if (
    text.length < 6 ||
    text.length > 80 ||
    words.length > 10 ||
    letters < 0.7 * text.replace(/\s/g, '').length
  )
    return undefined;
  if (common.test(text) || /[@<>{}|\\[\]/=_]|https?:/u.test(text) || /[.!;]\s/u.test(text)) return undefined;
  // A single word in lower case is a fragment of something else.
  if (/^\p{Ll}/u.test(text) && words.length < 3) return undefined;
  return isUpper(text) ? text.charAt(0) + text.slice(1).toLowerCase() : text;
}

const isUpper = (text: string) => /\p{Lu}.*\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);
