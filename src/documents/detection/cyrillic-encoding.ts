const candidates = ['windows-1251', 'koi8-r', 'ibm866', 'x-mac-cyrillic', 'iso-8859-5', 'koi8-u'];
const frequent = new Set('оеаинтсрвлкмдпуяыьгзбчйхжшюцщэіїє');
const most = new Set('оеаинтсрвл');

/**
 * The Cyrillic encoding in which these bytes read best, if they read well in one. Detectors that compare byte
 * frequencies confuse koi8-r with windows-1251 on short texts, and none knows cp866.
 */
export function cyrillicEncoding(sample: Buffer): string | undefined {
  let best: string | undefined;
  let bestScore = 0.45;
  for (const encoding of candidates) {
    const score = plausibility(new TextDecoder(encoding).decode(sample));
    if (score > bestScore + 0.001) [best, bestScore] = [encoding, score];
  }
  return best;
}

/** From 0 to 1: how much of what is not ASCII are Cyrillic words with the letters and the case that words have. */
function plausibility(text: string): number {
  let points = 0;
  let total = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+|[^\p{ASCII}\p{L}\p{M}]/gu)) {
    const foreign = word.replace(/\p{ASCII}/gu, '').length;
    if (foreign === 0) continue;
    total += foreign;
    if (/[«»„“”–—№…\u00a0’]/.test(word)) points += foreign * 0.6;
    if (foreign < word.length || !/^\p{Script=Cyrillic}+$/u.test(word)) continue;
    // Lower case after the first letter, or capitals throughout: the wrong encoding turns this around.
    const shape = /^\p{L}\p{Ll}*$/u.test(word) ? 1 : /^\p{Lu}+$/u.test(word) ? 0.5 : 0;
    for (const letter of word.toLowerCase()) {
      points += shape * (most.has(letter) ? 1 : frequent.has(letter) ? 0.6 : 0.3);
    }
  }
  return total === 0 ? 0 : points / total;
}
