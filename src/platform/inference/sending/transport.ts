/** The bytes of a body: all of them, or in pieces as they become available. */
export type BodyBytes = Uint8Array | AsyncIterable<Uint8Array>;

export interface TransportRequest {
  method: 'GET' | 'POST';
  /** From the root of the dispatcher, such as `/v1/embeddings`. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: BodyBytes | undefined;
  signal: AbortSignal;
}

export interface TransportAnswer {
  status: number;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** To be iterated once. Leaving the loop early abandons the request. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * How requests reach the dispatcher. Both `send` and the body throw the signal's reason after an abort, and whatever
 * the request's own body threw. Otherwise they throw problems: `Unavailable` where nothing answers, and
 * `UpstreamFailed` where an answer is cut off.
 */
export interface InferenceTransport {
  send(request: TransportRequest): Promise<TransportAnswer>;
}
