import { type PodInfo, podInfoNames } from '../../../contracts/dispatcher/pods.ts';
import type { InputIssue } from '../../../contracts/problems.ts';
import { isNestedDeeper } from '../../../platform/http/requests/json/json-limits.ts';

/** Bounds of the fields that we don't know. Records are listed and stored whole, and merged report by report. */
const deepest = 8;
const most = 100;
const largest = 32_768;

/** What is too large about the unknown fields of a report, together with those already on the pod's record. */
export function sizeIssues(report: PodInfo, known: PodInfo | undefined): InputIssue[] {
  const extra = Object.entries({ ...known, ...report }).filter(([name]) => !podInfoNames.has(name));
  const deep = extra.filter(([, value]) => isNestedDeeper(value, deepest));
  if (deep.length > 0) {
    const msg = `Input should be nested at most ${deepest} levels deep`;
    return deep.map(([name]) => ({ loc: ['body', name.slice(0, 100)], msg, type: 'value_error' }));
  }
  if (extra.length > most) {
    const msg = `Input should have at most ${most} fields that the dispatcher does not know`;
    return [{ loc: ['body'], msg, type: 'too_long' }];
  }
  if (extra.length === 0 || JSON.stringify(extra).length <= largest) return [];
  const msg = `Fields that the dispatcher does not know should have at most ${largest} characters in all`;
  return [{ loc: ['body'], msg, type: 'too_long' }];
}
