import { languageDetector } from '../../documents/text/detect-language.ts';

/** The rest of a longer question says nothing more about what is looked for. */
const longestQuestion = 2_000;
const mostFormulations = 5;
const shortestPart = 12;

/** A word that begins a second question: "…, and when was it built?", "… и кто его построил?" */
const nextQuestion =
  /(?<=\p{L})[,;]?\s+(?:and|also|и|а также)\s+(?=(?:what|who|whom|whose|when|where|which|why|how|что|кто|кого|кому|чей|чья|когда|где|куда|откуда|какой|какая|какое|какие|каким|каков|сколько|почему|зачем|как)(?!\p{L}))/iu;

/** Everything that is searched for one question: itself, other formulations of it, and its parts. */
export function formulations(question: string, variants: readonly string[] = []): string[] {
  const whole = tidy(question);
  const all = [whole, quotedIn(whole), ...variants.map(tidy), ...partsOf(whole)].filter(
    (text) => text !== '',
  );
  return [...new Set(all)].slice(0, mostFormulations);
}

/** What a question quotes, such as the heading of a section: the words around it need not occur in the documents. */
function quotedIn(question: string): string {
  const quoted = [...question.matchAll(/[“«„"]([^“”«»„"]{3,200})[”»“"]/gu)];
  return quoted.map(([, text = '']) => text.trim()).join(' ');
}

/** The questions that one text contains; none if it is a single one. */
export function partsOf(question: string): string[] {
  const parts = question
    .split(/(?<=\?)\s+/u)
    .flatMap((part) => part.split(nextQuestion))
    .map((part) => part.trim())
    .filter((part) => part.length >= shortestPart);
  return parts.length > 1 ? parts : [];
}

/** ISO 639-3; `und` if nothing in the question tells. */
export function questionLanguage(question: string): string {
  return languageDetector()(tidy(question))[0] ?? 'und';
}

function tidy(text: string): string {
  return text.slice(0, longestQuestion).replace(/\s+/gu, ' ').trim();
}
