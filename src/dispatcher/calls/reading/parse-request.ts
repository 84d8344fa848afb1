import { type InputIssue, InvalidInput } from '../../../contracts/problems.ts';
import { toInputIssues } from '../../../platform/http/errors/input-issues.ts';
import { deepestJson, isNestedDeeper } from '../../../platform/http/requests/json/json-limits.ts';
import type { Endpoint } from './endpoints.ts';
import { listIssue, shortened } from './lists.ts';

/** What the proxy reads of a JSON body. */
export interface ParsedRequest {
  /** Empty where the endpoint lets the caller leave it out. */
  model: string;
  stream: boolean;
  hasStream: boolean;
  hasTemperature: boolean;
  /** Largest number of tokens in the answer; 0 if the caller sets no limit. */
  maxTokens: number;
}

/** Reads what routing needs. Throws `InvalidInput` with FastAPI's messages. */
export function parseRequest(endpoint: Endpoint, bytes: Buffer): ParsedRequest {
  const body = parseJson(bytes);
  checkLists(endpoint, body);
  if (!endpoint.plainlyFits?.(body)) checkSchema(endpoint, body);
  return {
    model: (body.model as string | undefined) ?? '',
    stream: body.stream === true,
    hasStream: body.stream !== undefined,
    hasTemperature: body.temperature !== undefined,
    maxTokens: tokenLimit(body.max_completion_tokens ?? body.max_tokens),
  };
}

function checkLists({ lists }: Endpoint, body: Record<string, unknown>): void {
  if (!lists) return;
  for (const [field, check] of lists) {
    const value = body[field];
    const issue = Array.isArray(value) ? check(value) : undefined;
    if (issue) throw invalid(listIssue(field, issue));
  }
}

/** For lists that have been checked, the schema sees only their beginning. */
function checkSchema({ schema, lists }: Endpoint, body: Record<string, unknown>): void {
  const short = { ...body };
  for (const [field] of lists ?? []) {
    const value = body[field];
    if (Array.isArray(value)) short[field] = shortened(value);
  }
  const result = schema.safeParse(short);
  if (!result.success) throw new InvalidInput(toInputIssues(result.error.issues, 'body', short));
}

function tokenLimit(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function parseJson(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) throw invalid({ loc: ['body'], msg: 'Field required', type: 'missing' });
  const text = bytes.toString();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const place = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? text.length);
    throw invalid({ loc: ['body', place], msg: 'JSON decode error', type: 'json_invalid' });
  }
  // Each level takes two characters, so that most bodies need no closer look.
  if (text.length > 2 * deepestJson && isNestedDeeper(body, deepestJson)) {
    const msg = `JSON is nested more than ${deepestJson} levels deep`;
    throw invalid({ loc: ['body'], msg, type: 'json_invalid' });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({
      loc: ['body'],
      msg: 'Input should be a valid dictionary or object to extract fields from',
      type: 'model_attributes_type',
    });
  }
  return body as Record<string, unknown>;
}

function invalid(issue: InputIssue): InvalidInput {
  return new InvalidInput([issue]);
}
