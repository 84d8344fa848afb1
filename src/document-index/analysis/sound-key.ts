const cyrillicSounds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    б: 'b',
    в: 'v',
    г: 'g',
    д: 'd',
    ж: 'j',
    з: 's',
    к: 'k',
    л: 'l',
    м: 'm',
    н: 'n',
    п: 'p',
    р: 'r',
    с: 's',
    т: 't',
    ф: 'f',
    х: 'g',
    ц: 's',
    ч: 'k',
    ш: 's',
    щ: 's',
  }),
);
const latinSounds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    b: 'b',
    v: 'v',
    w: 'v',
    g: 'g',
    h: 'g',
    d: 'd',
    j: 'j',
    z: 's',
    k: 'k',
    c: 'k',
    q: 'k',
    l: 'l',
    m: 'm',
    n: 'n',
    p: 'p',
    r: 'r',
    s: 's',
    t: 't',
    f: 'f',
  }),
);

const shortestKey = 3;

/**
 * How a name sounds, roughly, in an alphabet that both scripts share: `Кристофер` and `Christopher` are `krstfr`. Null
 * for words that are too short to be told apart that way.
 */
export function soundKey(folded: string): string | null {
  const isCyrillic = /^[а-я]+$/.test(folded);
  if (!isCyrillic && !/^[a-z]+$/.test(folded)) return null;
  const spelled = isCyrillic ? respellCyrillic(folded) : respellLatin(folded);
  const sounds = isCyrillic ? cyrillicSounds : latinSounds;
  let key = /^[aeiouyаеиоуыэюя]/.test(spelled) ? 'a' : '';
  for (const letter of spelled) key += sounds.get(letter) ?? '';
  return key.length < shortestKey ? null : key;
}

function respellCyrillic(word: string): string {
  return word
    .replace(/дж/g, 'ж')
    .replace(/^у(?=[аеиоыэюя])/, 'в')
    .replace(/т?ц/g, 'с')
    .replace(/(?<=.{3})[сз]$/, '')
    .replace(/(.)\1/g, '$1');
}

function respellLatin(word: string): string {
  return word
    .replace(/(?<=[^s].{2})s$/, '')
    .replace(/ph/g, 'f')
    .replace(/t?ch/g, 'k')
    .replace(/gh(?=[^aeiou]|$)/g, '')
    .replace(/ck/g, 'k')
    .replace(/(?<=[strw])h|(?<=[aeiou])w/g, '')
    .replace(/qu/g, 'kv')
    .replace(/x/g, 'ks')
    .replace(/t[sz]/g, 's')
    .replace(/g(?=[eiy])/g, 'j')
    .replace(/c(?=[eiy])/g, 's')
    .replace(/(.)\1/g, '$1');
}
