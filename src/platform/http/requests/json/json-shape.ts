export interface JsonShape {
  /** Levels of lists and objects within each other. */
  depth: number;
  /** Lists, objects, and their members. */
  values: number;
}

/** How deep and how large a JSON text is, without reading it; counts no further than beyond the limits. */
export function jsonShape(text: string, limits: JsonShape): JsonShape {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let index = 0; index < text.length && deepest <= limits.depth && values <= limits.values; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        deepest = Math.max(deepest, ++depth);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return { depth: deepest, values };
}

const backslash = 0x5c;

/** Where the string that begins at `start` ends; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
