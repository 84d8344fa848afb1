// Shared by the front page and the command line.

/** Tokens of an answer. Without a limit, a model that does not find an end fills its whole context. */
export const answerLimit = 1024;

/** The longest piece whose repetition is recognised, in characters. */
const longestPiece = 400;
/** A piece must fill this many characters and come this many times: rulers and tables of zeros are shorter. */
const leastLength = 400;
const leastTimes = 6;

/**
 * Small models sometimes repeat themselves without end. Returns the text up to and including the first of the pieces
 * that fill its end, or undefined if it does not end in a loop.
 */
export function beforeLoop(text) {
  for (let piece = 1; piece <= longestPiece; piece++) {
    const span = Math.max(leastTimes, Math.ceil(leastLength / piece)) * piece;
    if (text.length < span) continue;
    let start = text.length - 1;
    while (start >= piece && text[start] === text[start - piece]) start--;
    // From start + 1 - piece on, the text repeats.
    if (text.length - (start + 1 - piece) >= span) return text.slice(0, start + 1);
  }
  return undefined;
}
