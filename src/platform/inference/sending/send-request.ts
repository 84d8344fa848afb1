import type { z } from 'zod';
import { UpstreamFailed } from '../../../contracts/problems.ts';
import type { CallOptions, Credentials } from './call-options.ts';
import { readBytes } from './read-bytes.ts';
import { readProblem } from './read-problem.ts';
import { type RetryPolicy, withRetries } from './retries.ts';
import type { BodyBytes, InferenceTransport, TransportAnswer } from './transport.ts';
import { checkHeaders } from './transport-problems.ts';

/** What every call needs. */
export interface Sender {
  transport: InferenceTransport;
  /** The key for calls in the platform's own name. */
  ownKey: string | undefined;
}

interface OutgoingRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: BodyBytes;
}

const mostOfAnError = 65_536;
const mostOfAnAnswer = 256 * 1024 * 1024;

/** Sends a request once. An answer other than a good one is thrown as a problem. */
export async function sendRequest(
  { transport, ownKey }: Sender,
  request: OutgoingRequest,
  options: CallOptions,
): Promise<TransportAnswer> {
  const headers = { ...request.headers, ...headersOf(options, ownKey) };
  checkHeaders(headers);
  const answer = await transport.send({ ...request, headers, signal: options.signal });
  if (answer.status >= 200 && answer.status < 300) return answer;
  const { bytes } = await readBytes(answer.body, mostOfAnError);
  const failed = { status: answer.status, header: answer.header, text: bytes.toString('utf8') };
  throw readProblem(failed, options.credentials, Date.now());
}

export function jsonRequest(path: string, value: unknown): OutgoingRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: Buffer.from(JSON.stringify(value)) };
}

/**
 * Sends a request whose answer is one JSON value. It is read whole before anyone sees it, so all of it is retried. A
 * request that can't be sent twice is given as a function that makes it.
 */
export function askForJson<Schema extends z.ZodType>(
  sender: Sender,
  request: OutgoingRequest | (() => OutgoingRequest),
  schema: Schema,
  options: CallOptions,
  policy: RetryPolicy,
): Promise<z.output<Schema>> {
  return withRetries(policy, options.signal, async () => {
    const answer = await sendRequest(sender, typeof request === 'function' ? request() : request, options);
    const { bytes, whole } = await readBytes(answer.body, mostOfAnAnswer);
    if (!whole) throw new UpstreamFailed('the answer is too long to be read');
    return readJson(bytes.toString('utf8'), schema);
  });
}

export function readJson<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notUnderstood(cause);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw notUnderstood(result.error);
  return result.data;
}

export function notUnderstood(cause: unknown): UpstreamFailed {
  return new UpstreamFailed('the model answered with something that can’t be understood', { cause });
}

function headersOf(options: CallOptions, ownKey: string | undefined): Record<string, string> {
  const authorization = authorizationOf(options.credentials, ownKey);
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
    ...(options.timeout === undefined ? {} : { 'x-request-timeout': String(options.timeout / 1000) }),
  };
}

function authorizationOf(credentials: Credentials, ownKey: string | undefined): string | undefined {
  if (credentials !== 'platform') return credentials.authorization;
  return ownKey === undefined ? undefined : `Bearer ${ownKey}`;
}
