import { InternalFault, OutOfSpace, Problem, Unavailable } from '../../contracts/problems.ts';

interface S3Failure extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

const FULL = /^(XMinioStorageFull|InsufficientStorage|QuotaExceeded|.*QuotaExceeded|EntityTooLargeForQuota)$/;
const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|TimeoutError)$/;

/** Converts a failed S3 call to a problem for the caller. S3's own error is kept as the cause, for the log. */
export function s3Problem(error: unknown, bucket: string): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  const failure = error as S3Failure;
  const status = failure.$metadata?.httpStatusCode;
  if (failure.name === 'CredentialsProviderError') {
    return new InternalFault(
      'there are no credentials for S3: set blobs.s3.access_key_id and blobs.s3.secret_access_key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  if (status === undefined) {
    return UNREACHABLE.test(failure.code ?? '') || UNREACHABLE.test(failure.name) ? s3Silent(error) : error;
  }
  if (status === 507 || FULL.test(failure.name)) {
    return new OutOfSpace('The file store (S3) is full', { cause: error });
  }
  if (failure.name === 'NoSuchBucket' || status === 404) {
    return new InternalFault(`The file store's bucket '${bucket}' does not exist`, { cause: error });
  }
  if (status === 401 || status === 403) {
    return new InternalFault(
      `The file store (S3) refuses access to the bucket '${bucket}': check blobs.s3.access_key_id, its secret and its permissions`,
      { cause: error },
    );
  }
  if (status === 429 || status >= 500) {
    return new Unavailable('The file store (S3) is overloaded or failing', {
      cause: error,
      retryAfter: 5,
    });
  }
  return new InternalFault(`The file store (S3) rejected the call: ${failure.name}`, { cause: error });
}

export function s3Silent(cause: unknown): Unavailable {
  return new Unavailable('The file store (S3) does not answer', { cause, retryAfter: 5 });
}

/** Whether a blob, not its bucket, is missing. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}

export function isBadRange(error: unknown): boolean {
  return (error as S3Failure | undefined)?.$metadata?.httpStatusCode === 416;
}
