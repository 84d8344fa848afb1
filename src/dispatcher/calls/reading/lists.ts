import type { InputIssue } from '../../../contracts/problems.ts';

/** A fault of a list, with its path inside the list. */
interface ListIssue {
  path: (string | number)[];
  msg: string;
  type: string;
}

/** Checks an array in linear time, up to its first fault. What is not an array is left to the schema. */
export type ListCheck = (list: readonly unknown[]) => ListIssue | undefined;

const most = { texts: 10_000, tokens: 2 ** 20, documents: 10_000, messages: 100_000, tools: 10_000 };

const stringType = { msg: 'Input should be a valid string', type: 'string_type' };
const listType = { msg: 'Input should be a valid list', type: 'list_type' };
const objectType = {
  msg: 'Input should be a valid dictionary or object to extract fields from',
  type: 'model_attributes_type',
};

/** Several texts, one text as token ids, or several as token ids. */
export const checkTexts: ListCheck = (list) => {
  if (list.length === 0) return tooShort();
  const [first] = list;
  if (typeof first === 'number') return checkTokens(list);
  if (list.length > most.texts) return tooLong(most.texts);
  if (!Array.isArray(first)) return firstFault(list, (item) => (isString(item) ? undefined : stringType));
  for (const [index, item] of list.entries()) {
    if (!Array.isArray(item)) return { path: [index], ...listType };
    const issue = item.length === 0 ? tooShort() : checkTokens(item);
    if (issue) return { ...issue, path: [index, ...issue.path] };
  }
  return undefined;
};

export const checkDocuments: ListCheck = (list) => {
  if (list.length > most.documents) return tooLong(most.documents);
  for (const [index, item] of list.entries()) {
    if (isString(item)) continue;
    if (!isObject(item)) return { path: [index], ...stringType };
    if (!('text' in item)) return { path: [index, 'text'], msg: 'Field required', type: 'missing' };
    if (!isString(item.text)) return { path: [index, 'text'], ...stringType };
  }
  return undefined;
};

export const checkMessages = objectsUpTo(most.messages);
export const checkTools = objectsUpTo(most.tools);

/** The issue as a caller sees it. */
export function listIssue(field: string, { path, msg, type }: ListIssue): InputIssue {
  return { loc: ['body', field, ...path], msg, type };
}

/** The beginning of a list that was checked, so that the schema need not read all of it again. */
export function shortened(list: readonly unknown[]): readonly unknown[] {
  const [first] = list;
  return Array.isArray(first) ? [first.slice(0, 1)] : list.slice(0, 1);
}

export function checkTokens(list: readonly unknown[]): ListIssue | undefined {
  if (list.length > most.tokens) return tooLong(most.tokens);
  return firstFault(list, (item) => {
    if (!Number.isSafeInteger(item)) return { msg: 'Input should be a valid integer', type: 'int_type' };
    if ((item as number) >= 0) return undefined;
    return { msg: 'Input should be greater than or equal to 0', type: 'greater_than_equal' };
  });
}

function objectsUpTo(limit: number): ListCheck {
  return (list) =>
    list.length > limit
      ? tooLong(limit)
      : firstFault(list, (item) => (isObject(item) ? undefined : objectType));
}

function firstFault(
  list: readonly unknown[],
  faultOf: (item: unknown) => Omit<ListIssue, 'path'> | undefined,
): ListIssue | undefined {
  for (let index = 0; index < list.length; index++) {
    const fault = faultOf(list[index]);
    if (fault) return { path: [index], ...fault };
  }
  return undefined;
}

function tooLong(limit: number): ListIssue {
  return {
    path: [],
    msg: `List should have at most ${limit} items after validation`,
    type: 'too_long',
  };
}

function tooShort(): ListIssue {
  return { path: [], msg: 'List should have at least 1 item after validation', type: 'too_short' };
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
