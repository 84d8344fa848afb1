import type { DocumentElement } from '../element.ts';

/** An element as a format's reader gives it, before it has a number, a parent and languages. */
export type Draft = Omit<DocumentElement, 'index' | 'parent' | 'regions'> &
  Partial<Pick<DocumentElement, 'regions'>>;

export type Drafts = Iterable<Draft> | AsyncIterable<Draft>;
