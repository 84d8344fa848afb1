import type { Fragment } from './break-lines.ts';

/** Passed through for now. */
export function shownOrder(fragments: Fragment[]): Fragment[] {
  return fragments;
}
