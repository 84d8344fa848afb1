import type { MarkupNode } from '../../markup/markup-node.ts';
import type { PdfPicture } from '../file/pdf-document.ts';
import { cleanText } from './clean-text.ts';

type Attributes = MarkupNode['attributes'];

const longestAddress = 2_000;

/** An address that may be linked to; undefined for places within the page and anything that is not HTTP or mail. */
export function absoluteAddress(address: string, base: string): string | undefined {
  if (address.length > longestAddress) return undefined;
  const text = address.trim();
  if (text === '' || text.startsWith('#')) return undefined;
  const url = URL.parse(text, base);
  return url && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/** What a picture says in words. */
export const pictureText = ({ alt, title }: Attributes): string =>
  cleanText((alt || title || '').slice(0, 500))
    .replace(/\s+/gu, ' ')
    .trim();

/** What stands below a picture. Names of files say nothing. */
export function captionOf(attributes: Attributes): string {
  const text = pictureText(attributes);
  return /^[^/]{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp)$/i.test(text) ? '' : text;
}

const emoticons = new Map([
  ['(tick)', '✔'],
  ['(error)', '✖'],
  ['(warning)', '⚠'],
  ['(info)', 'ℹ'],
  ['(plus)', '+'],
  ['(minus)', '−'],
  ['(question)', '?'],
  ['(star)', '★'],
  ['(smile)', '☺'],
  ['(sad)', '☹'],
]);

/** The character for one of Confluence's emoticons. */
export function emoticon({ class: classes, alt }: Attributes): string | undefined {
  if (!/\bemoticon\b/.test(classes ?? '')) return undefined;
  return emoticons.get(alt ?? '') ?? cleanText(alt ?? '').slice(0, 40);
}

const smallest = 24;

/** Icons in the middle of text. */
export function isSmall({ width, height }: Attributes, picture: PdfPicture): boolean {
  const stated = Math.min(
    Number.parseInt(width ?? '', 10) || Infinity,
    Number.parseInt(height ?? '', 10) || Infinity,
  );
  return Math.min(stated, picture.height) <= smallest;
}

/** The size that a page gives a picture, in pixels of screens. */
export function statedSize(attributes: Attributes): { width?: number; height?: number } {
  const [width, height] = [pixels(attributes.width), pixels(attributes.height)];
  return { ...(width && { width }), ...(height && { height }) };
}

const pixels = (value: string | undefined) => {
  const [, digits] = /^\s*(\d{1,5})(?:\.\d+)?(?:px)?\s*$/.exec(value ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
};
