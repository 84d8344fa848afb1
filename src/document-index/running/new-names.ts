import { freeName } from '../documents/document-name.ts';
import type { NewDocument, StoredDocument } from '../tables.ts';

type Named = Pick<StoredDocument, 'name' | 'source_id'>;

/** Names for the documents of a command, each given once. */
export class NewNames {
  readonly #given: Set<string>;
  readonly #holders: ReadonlyMap<string, string | null>;
  readonly #before: ReadonlyMap<string | null, string>;

  /** `known` have their names from this command, `present` from earlier ones. */
  constructor(known: readonly Named[], present: readonly Named[]) {
    this.#given = new Set(known.map(({ name }) => name));
    this.#holders = new Map(present.map(({ name, source_id }) => [name, source_id]));
    this.#before = new Map(present.map(({ name, source_id }) => [source_id, name]));
  }

  get count(): number {
    return this.#given.size;
  }

  /** The name of a document as it is, or the one that the document had before, or a free one like its own. */
  give({ name: own, source_id }: Pick<NewDocument, 'name'> & Partial<NewDocument>): string {
    const isTaken = (name: string) =>
      this.#given.has(name) || (this.#holders.has(name) && this.#holders.get(name) !== source_id);
    const wanted = [own, this.#before.get(source_id ?? '')];
    const name = wanted.find((one) => one !== undefined && !isTaken(one)) ?? freeName(own, isTaken);
    this.#given.add(name);
    return name;
  }
}
