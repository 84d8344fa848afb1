const longestHead = 16_384;
const longestValue = 1024;

/** Where a value stands in the whole form, counted in bytes. */
export interface Place {
  start: number;
  end: number;
}

/**
 * Looks for the `model` field and the beginning of the `file` in a multipart form that is passing by. It keeps no more
 * than a part's head or a short value.
 */
export class FormScanner {
  model: string | undefined;
  modelPlace: Place | undefined;
  hasFile = false;
  broken = false;
  readonly #delimiter: Buffer;
  /** Bytes that are not understood yet, and where in the form they begin. The first delimiter has no line before it. */
  #rest: Buffer = Buffer.from('\r\n');
  #offset = -2;
  #inHead = false;
  #field = '';
  #value: Buffer[] = [];
  #valueStart = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  get satisfied(): boolean {
    return this.model !== undefined && this.hasFile;
  }

  feed(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (!this.broken && !this.satisfied && (this.#inHead ? this.#readHead() : this.#readBody())) {
      // Each step takes a head or a body off the rest.
    }
  }

  #readHead(): boolean {
    // After the closing delimiter stand two hyphens, and nothing that matters.
    if (this.#rest.length >= 2 && this.#rest[0] === 0x2d && this.#rest[1] === 0x2d) return false;
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) {
      this.broken = this.#rest.length > longestHead;
      return false;
    }
    const head = this.#rest.toString('utf8', 0, end);
    const disposition = /^content-disposition:([^\r\n]*)/im.exec(head)?.[1] ?? '';
    this.#field =
      /[;\s]name="([^"]*)"/i.exec(disposition)?.[1] ?? /[;\s]name=([^;\s]+)/i.exec(disposition)?.[1] ?? '';
    if (this.#field === 'file') this.hasFile = true;
    this.#take(end + 4);
    this.#valueStart = this.#offset;
    this.#value = [];
    this.#inHead = false;
    return true;
  }

  #readBody(): boolean {
    const end = this.#rest.indexOf(this.#delimiter);
    if (end < 0) {
      // All but what could be the beginning of a delimiter belongs to the value.
      const certain = Math.max(0, this.#rest.length - this.#delimiter.length + 1);
      this.#collect(certain);
      this.#take(certain);
      return false;
    }
    this.#collect(end);
    if (this.#field === 'model') {
      this.model = Buffer.concat(this.#value).toString('utf8');
      this.modelPlace = { start: this.#valueStart, end: this.#offset + end };
    }
    this.#field = '';
    this.#take(end + this.#delimiter.length);
    this.#inHead = true;
    return true;
  }

  #collect(length: number): void {
    if (this.#field !== 'model' || length === 0) return;
    this.#value.push(this.#rest.subarray(0, length));
    if (this.#offset + length - this.#valueStart > longestValue) this.broken = true;
  }

  #take(length: number): void {
    this.#rest = this.#rest.subarray(length);
    this.#offset += length;
  }
}
