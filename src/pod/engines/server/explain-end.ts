import type { ChildEnd } from './child-group.ts';
import type { Cause } from './server-kind.ts';

export interface Judgement {
  pattern: RegExp;
  failure: Cause['failure'];
}

/** Classifies a server's error message by the first pattern that matches. */
export function judge(message: string, judgements: Judgement[]): Cause {
  const found = judgements.find(({ pattern }) => pattern.test(message));
  return { failure: found?.failure ?? 'failed', message: shorten(message) };
}

/** Explains the exit of a server that logged no error. */
export function explainSilence(end: ChildEnd, lastLine: string | undefined): Cause {
  if (end.signal === 'SIGKILL' || end.code === 137) {
    return { failure: 'out-of-memory', message: 'the system killed it, probably because memory ran out.' };
  }
  const how = end.signal === null ? `it exited with code ${end.code}` : `it was terminated by ${end.signal}`;
  return {
    failure: 'failed',
    message: shorten(lastLine === undefined ? `${how}.` : `${how}; its last output: ${lastLine}`),
  };
}

function shorten(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
