import { descendants, type MarkupNode } from '../markup/markup-node.ts';
import { absoluteAddress } from './content/references.ts';
import { most } from './limits.ts';
import type { SentPicture } from './web-page.ts';

/** Addresses of the pictures that a page shows, each once. Those beyond the limit are left out. */
export function findPictures(tree: MarkupNode, base: string): string[] {
  const found = new Set<string>();
  for (const { attributes } of descendants(tree, 'img')) {
    const url = absoluteAddress(attributes.src ?? '', `${base}/`);
    if (url?.startsWith('http') && !/\bemoticon\b/.test(attributes.class ?? '')) found.add(url);
    if (found.size >= most.pictures) break;
  }
  return [...found];
}

/** Pictures that are written into the page itself. */
export function inlinePictures(tree: MarkupNode): SentPicture[] {
  const found = new Map<string, SentPicture>();
  for (const { attributes } of descendants(tree, 'img')) {
    const url = attributes.src ?? '';
    const [head] = /^data:image\/[a-z+.-]{1,20};base64,/i.exec(url) ?? [];
    if (head === undefined || url.length > (4 / 3) * most.pictureBytes || found.has(url)) continue;
    found.set(url, { url, bytes: Buffer.from(url.slice(head.length), 'base64') });
    if (found.size >= most.pictures) break;
  }
  return [...found.values()];
}
