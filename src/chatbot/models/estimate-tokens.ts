/**
 * How many tokens a text takes at most, by its letters, for models whose tokenizer can't be asked. Small models spell
 * Cyrillic and other letters beyond ASCII in pieces of a letter or two.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at++) tokens += text.charCodeAt(at) < 128 ? 0.34 : 0.75;
  return Math.ceil(tokens);
}
