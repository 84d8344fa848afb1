import type { ChildEnd } from './child-group.ts';
import type { Cause } from './server-kind.ts';

export interface Judgement {
  pattern: RegExp;
  failure: Cause['failure'];
}

/** The first judgement whose pattern fits decides what kind of failure a server's own words stand for. */
export function judge(words: string, judgements: Judgement[]): Cause {
  const found = judgements.find(({ pattern }) => pattern.test(words));
  return { failure: found?.failure ?? 'failed', words: shorten(words) };
}

/** Of a server that left no word. */
export function explainSilence(end: ChildEnd, lastLine: string | undefined): Cause {
  if (end.signal === 'SIGKILL' || end.code === 137) {
    return { failure: 'out-of-memory', words: 'the system killed it, as it does when memory runs out.' };
  }
  const how = end.signal === null ? `it ended with code ${end.code}` : `it was ended by ${end.signal}`;
  return {
    failure: 'failed',
    words: shorten(lastLine === undefined ? `${how}.` : `${how}; its last word: ${lastLine}`),
  };
}

function shorten(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
