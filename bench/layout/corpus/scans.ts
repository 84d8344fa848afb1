import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Random } from './random.ts';

export interface ScanLook {
  /** Degrees by which the page lies turned clockwise in the scanner. */
  turn: 0 | 90 | 180 | 270;
  /** Degrees by which it lies crooked. */
  skew: number;
  /** Largest deviation of a pixel, of 255. */
  noise: number;
  /** Radius in pixels. */
  blur: number;
}

/** Which documents are also scanned, and how badly. */
export const scanLooks = new Map<string, ScanLook>([
  ['essay-eng', { turn: 0, skew: 1, noise: 30, blur: 0.6 }],
  ['ruled-eng', { turn: 90, skew: -1, noise: 30, blur: 0.6 }],
  ['open-eng', { turn: 0, skew: 2, noise: 40, blur: 0.5 }],
  ['annotated-eng', { turn: 180, skew: -1.5, noise: 30, blur: 0.6 }],
  ['newsletter-eng', { turn: 0, skew: -2.5, noise: 20, blur: 0.5 }],
  ['journal-rus', { turn: 0, skew: 1.5, noise: 30, blur: 0.6 }],
  ['merged-rus', { turn: 0, skew: -1, noise: 30, blur: 0.7 }],
  ['lined-rus', { turn: 180, skew: 1, noise: 40, blur: 0.6 }],
  ['manual-rus', { turn: 0, skew: 3, noise: 20, blur: 0.5 }],
  ['contract-rus', { turn: 270, skew: 2, noise: 30, blur: 0.6 }],
]);

/** A PDF with nothing but pictures of the pages that are laid out in the browser's page. */
export async function printScan(
  page: Page,
  { seed, ...look }: ScanLook & { seed: string },
): Promise<Uint8Array> {
  const random = new Random(seed);
  const pictures: string[] = [];
  for (const section of await page.locator('.page').all())
    pictures.push((await section.screenshot()).toString('base64'));
  const scanner = await page.context().newPage();
  await scanner.addScriptTag({ path: join(import.meta.dirname, 'distort.js') });
  const images: string[] = [];
  for (const picture of pictures) {
    const input = { ...look, picture: `data:image/png;base64,${picture}`, seed: random.between(1, 2 ** 31) };
    images.push((await scanner.evaluate<{ jpeg: string }>(`distort(${JSON.stringify(input)})`)).jpeg);
  }
  const [width, height] = look.turn % 180 === 0 ? [794, 1123] : [1123, 794];
  await scanner.setContent(
    `<style>@page{size:${width}px ${height}px;margin:0} body{margin:0}
img{display:block;width:${width}px;height:${height}px;break-after:page} img:last-child{break-after:auto}</style>
${images.map((image) => `<img src="${image}">`).join('')}`,
  );
  await scanner.waitForFunction('[...document.images].every((image) => image.complete)');
  return scanner.pdf({ preferCSSPageSize: true, printBackground: true });
}
