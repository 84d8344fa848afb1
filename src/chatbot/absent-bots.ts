import { Unavailable } from '../contracts/problems.ts';
import type { Bots } from './bots.ts';

const refuse = () =>
  Promise.reject(
    new Unavailable('the document index does not run in this process, so that there are no bots here'),
  );

/** Where the document index runs elsewhere. Uploaded files are served all the same. */
export const absentBots: Bots = {
  get: refuse,
  list: refuse,
  search: refuse,
  documents: refuse,
  openDocument: refuse,
};
