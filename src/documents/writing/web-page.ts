/** A page of a system that documents come from. Can be sent to a worker. */
export interface WebPage {
  title: string;
  /** What lies above it, from the outermost. */
  path: readonly string[];
  html: string;
  /** Address that relative ones refer to. */
  base: string;
}

/** A picture of a page, as it was fetched. */
export interface SentPicture {
  /** Absolute, as `picturesOf` gave it. */
  url: string;
  bytes: Uint8Array;
}
