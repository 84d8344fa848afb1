/** What a reader of one format gets. */
export interface FormatInput {
  path: string;
  /** The name under which the file was sent. */
  name: string;
  /** The caller's encoding of text files, if it named one. */
  encoding?: string;
  /** XML: keep the tags in the text. */
  xmlKeepTags?: boolean;
  /** A folder for temporary files. It does not exist yet; the caller removes it, even if the reader was killed. */
  scratch: string;
  /** How many bytes the content may have once it is unpacked. */
  mostBytes: number;
}
