/** Levels of lists and objects within each other in a JSON text, without reading it; stops counting at 1,000. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length && deepest < 1_000; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === brace || code === bracket) deepest = Math.max(deepest, ++depth);
    else if (code === closingBrace || code === closingBracket) depth--;
  }
  return deepest;
}

const [quote, backslash, brace, closingBrace, bracket, closingBracket] = Array.from('"\\{}[]', (character) =>
  character.charCodeAt(0),
);

/** Where the string that begins at `start` ends; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
