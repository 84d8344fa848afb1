import { emphasisElements } from '../../markup/html-elements.ts';
import type { RunStyle } from './collect-runs.ts';

/** How elements within a line look. */
export const elementStyles = new Map<string, RunStyle>([
  ...emphasisElements,
  ['s', { strike: true }],
  ['del', { strike: true }],
  ['code', { mono: true }],
  ['tt', { mono: true }],
  ['kbd', { mono: true }],
  ['samp', { mono: true }],
  ['sup', { raised: 'up' }],
  ['sub', { raised: 'down' }],
]);
