const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const spaced = /[\p{L}\p{M}\p{N}]+(?:['’.:][\p{L}\p{M}\p{N}]+)*/gu;
/** Words, and what may be a part code, a date, a version or an amount: `AB-12/3`, `18:15`, `3.5`. */
const runs = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}\-./:,'’]*/gu;
const longestTerm = 64;

const english =
  'a an the and or but if of to in on at by for from with as is are was were be been being do does did has have had it its this that these those there here he she they them his her their you your we our us i me my what which who whom whose when where why how many much can could may might must shall should will would not no so than then too very just about into over under between during after before also any all some each such only own same both more most other please tell say give me';
const russian =
  'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой какая какое какие какого каких каким каком какую который которая которые которых которого совсем ним здесь этом один почти мой тем чтобы нее были куда зачем всех никогда можно при об другой хоть после над больше тот через эти нас про всего них много разве эту моя впрочем хорошо свою этой перед иногда лучше чуть том нельзя такой им более всегда конечно всю между это сколько почему является являются скажи расскажи подскажите пожалуйста';
const stopWords = new Set(`${english} ${russian}`.split(' '));

/** Longest first, so that the whole ending is removed. */
const russianEnding =
  /(?:иями|ями|ами|иях|ях|ах|ого|его|ому|ему|ыми|ими|ией|ться|тся|ешь|ете|ите|ишь|ают|яют|уют|ает|яет|ует|ить|ать|ять|еть|ала|ила|ыла|али|или|ыли|ало|ило|ый|ий|ой|ая|яя|ое|ее|ые|ие|ую|юю|ов|ев|ей|ом|ем|ам|ям|ых|их|ым|им|ия|ию|ии|ью|ье|ья|ут|ют|ат|ят|ет|ит|ал|ил|ть|а|я|о|е|ы|и|у|ю|ь|й)$/u;
const englishEnding = /(?:ations?|ments?|ingly|edly|ings?|ied|ies|ed|ly|es|s|e|y)$/u;

/** The meaningful words of a text, shortened so that forms of one word are equal. Each as often as it occurs. */
export function termsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('ё', 'е');
  return (plain.match(runs) ?? []).flatMap((run) => (isNumeric(run) ? codesIn(run) : wordsIn(run)));
}

/** Kept whole, unless the punctuation in it only separates words. */
function codesIn(run: string): string[] {
  const whole = run.replace(/[-./:,'’]{1,64}$/u, '').slice(0, longestTerm);
  if (!/\p{L}{4}/u.test(whole)) return [whole];
  return whole.split(/[./:,]/u).flatMap((part) => (isNumeric(part) ? [part] : wordsIn(part)));
}

function wordsIn(run: string): string[] {
  const text = run.slice(0, 2_000);
  const words = unspaced.test(text) ? segmentsOf(text) : (text.match(spaced) ?? []);
  return words.filter((word) => !stopWords.has(word)).map((word) => stem(word.slice(0, longestTerm)));
}

/** Each call keeps memory outside the heap until the next full collection, so it is only used where it is needed. */
const segmentsOf = (text: string): string[] =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);

/** Numbers, dates and codes: what must not differ between a claim and its source. */
export const isNumeric = (term: string): boolean => /\p{N}/u.test(term);

function stem(word: string): string {
  if (word.length < 4) return word;
  const ending = /\p{Script=Cyrillic}/u.test(word) ? russianEnding : englishEnding;
  const short = word.replace(ending, '');
  return short.length >= 3 ? short : word;
}
