import { BadRequest } from '../../../contracts/problems.ts';

const longest = 8_192;

/** Ports of other protocols, which browsers refuse too: a request there could be taken for a command. */
const foreignPorts = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

/**
 * The URL that an address means. URLs are parsed as browsers parse them: hosts such as `0x7f.1` or `2130706433` become
 * addresses, and names with other letters become Punycode, before anything is checked.
 */
export function checkUrl(text: string, base?: string): URL {
  const url = text.length > longest ? null : URL.parse(text, base);
  if (!url) throw notAllowed('the address is not a valid URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw notAllowed('the address must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw notAllowed('the address contains a user name or password; remove it');
  }
  if (foreignPorts.has(Number(url.port))) throw notAllowed(`port ${url.port} is not a port of web servers`);
  url.hash = '';
  return url;
}

export const notAllowedCode = 'address_not_allowed';

/** A caller learns that an address is not allowed, and never where it leads. */
export const notAllowed = (words: string) => new BadRequest(words, { code: notAllowedCode });

export const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
