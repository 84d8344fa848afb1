/** The token counts that an answer reports. */
export interface TokenCounts {
  promptTokens: number;
  completionTokens: number;
}

const key = '"usage"';
/** Maximum length of a usage object. */
const longestUsage = 1024;

/**
 * Finds the usage in the last bytes of an answer, JSON or server-sent events, without parsing it. Generated text can't
 * be mistaken for it, because its quotes are escaped.
 */
export function readUsage(tail: string): TokenCounts | undefined {
  for (let at = tail.lastIndexOf(key); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(key, at - 1)) {
    const object = tail.slice(at + key.length, at + longestUsage);
    if (!/^\s*:\s*\{/.test(object)) continue;
    const promptTokens = counter(object, '"prompt_tokens"');
    const total = counter(object, '"total_tokens"');
    if (promptTokens === undefined && total === undefined) continue;
    const prompt = promptTokens ?? total ?? 0;
    return { promptTokens: prompt, completionTokens: counter(object, '"completion_tokens"') ?? 0 };
  }
  return undefined;
}

function counter(text: string, name: string): number | undefined {
  let at = text.indexOf(name);
  if (at < 0) return undefined;
  at += name.length;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x3a) at++;
  let value = 0;
  let digits = 0;
  for (; digits < 15; digits++) {
    const digit = text.charCodeAt(at + digits) - 0x30;
    if (!(digit >= 0 && digit <= 9)) break;
    value = value * 10 + digit;
  }
  return digits > 0 ? value : undefined;
}
