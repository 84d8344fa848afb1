import { area } from '../layout/geometry.ts';
import type { RawPage } from '../pdf/read-page.ts';
import { isGarbled } from './garbled-text.ts';

/** Little or no text on a page that shows something, or text that makes no sense. */
export function needsOcr(page: RawPage): boolean {
  const paper = page.width * page.height;
  const pictured = page.pictures.reduce((sum, box) => sum + area(box), 0) > 0.4 * paper;
  const drawn = page.shapes.length > 100;
  if (page.characters < 30) return pictured || (page.characters === 0 && drawn);
  return isGarbled(page);
}
