/** What kind of word an answer to a question contains, in Russian and English, and how to recognise it. */
const kinds: [question: RegExp, answer: RegExp][] = [
  [
    /\b(?:how (?:many|much|long|often|far|old|large|big|high|tall|deep)|what (?:number|percentage|percent|amount|price|cost|share))\b|(?<!\p{L})(?:сколько|как (?:долго|часто|далеко)|како[йв]\p{L}* (?:размер|срок|сумм|стоимост|процент|числ|количеств|дол[яюи])\p{L}*|во сколько|какова цена)(?!\p{L})/iu,
    /\p{N}|(?<!\p{L})(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion|half|twice|одн\p{L}{1,3}|дв[аеу]\p{L}{0,2}|тр[иеё]\p{L}{0,2}|четыр\p{L}{1,3}|пят\p{L}{1,2}|шест\p{L}{1,2}|десят\p{L}{1,2}|сто|тысяч\p{L}{0,2}|миллион\p{L}{0,3}|миллиард\p{L}{0,3}|половин\p{L})(?!\p{L})/iu,
  ],
  [
    /\b(?:when|what (?:year|date|day|month|time|century|decade)|which year|until when|since when)\b|(?<!\p{L})(?:когда|в каком году|какого числа|в каком (?:месяце|веке|десятилетии)|в какой (?:день|год)|до какого|с какого)(?!\p{L})/iu,
    /(?<!\p{N})(?:1[0-9]|20)\p{N}{2}(?!\p{N})|\p{N}{1,2}[:.]\p{N}{2}|(?<!\p{L})(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|январ|феврал|март|апрел|ма[йя]|июн|июл|август|сентябр|октябр|ноябр|декабр|понедельник|вторник|сред[ау]|четверг|пятниц|суббот|воскресень|век|год)/iu,
  ],
  [
    /\b(?:who|whom|whose)\b|(?<!\p{L})(?:кто|кого|кому|кем|чей|чья|чьё|чье|чьи)(?!\p{L})/iu,
    /(?<=\p{Ll}\P{L}+)\p{Lu}\p{L}+/u,
  ],
  [
    /\b(?:where|what (?:city|country|place|location)|which (?:city|country))\b|(?<!\p{L})(?:где|куда|откуда|в как(?:ом|ой) (?:городе|стране|месте))(?!\p{L})/iu,
    /(?<=\p{Ll}\P{L}+)\p{Lu}\p{L}+/u,
  ],
];

/** Whether a sentence contains the kind of word that answers the question; undefined where none is expected. */
export function expectedAnswer(question: string): ((sentence: string) => boolean) | undefined {
  const answers = kinds.filter(([asks]) => asks.test(question)).map(([, answer]) => answer);
  if (answers.length === 0) return undefined;
  return (sentence) => answers.some((answer) => answer.test(sentence));
}
