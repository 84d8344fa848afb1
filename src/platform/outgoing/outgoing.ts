import type { Problem } from '../../contracts/problems.ts';

export interface OutgoingRequest {
  url: string;
  /** POST requests are not redirected. */
  method?: 'GET' | 'POST';
  body?: string;
  /** Sent to every server on the way. */
  headers?: Record<string, string>;
  /** Headers with credentials, sent to the origin of `url` only. */
  credentials?: Record<string, string>;
  /** Servers that the administrator named in the settings. They are not checked, and reached through the usual proxies. */
  trusted?(url: URL): boolean;
  /** The most bytes of the body, after decompression. */
  limit: number;
  /** Milliseconds from the first request to the last byte. */
  time?: number;
  /** Why a status of 400 or more was answered; a `Refused` is not tried again. Default: by the status alone. */
  problemOf?(answer: FailedAnswer): Problem | Promise<Problem>;
}

export interface FailedAnswer {
  status: number;
  headers: Record<string, string>;
  url: string;
  /** The beginning of the body, for the reasons of known systems. It must not be shown to callers. */
  text: string;
}

export interface OutgoingAnswer {
  status: number;
  headers: Record<string, string>;
  /** After redirects. */
  url: string;
  /** Length of the body where the server says it and it is not compressed. */
  size: number | null;
  /** Continues by a range request if the connection is cut and the server supports that. */
  body: AsyncIterable<Uint8Array>;
  /** Gives the connection up. Call it where the body is not read to its end. */
  close(): void;
}

/** Requests to addresses that users name. */
export interface Outgoing {
  /** Follows redirects and tries again what may pass. Resolves with the head of a successful answer. */
  open(request: OutgoingRequest, signal: AbortSignal): Promise<OutgoingAnswer>;
  close(): Promise<void>;
}
