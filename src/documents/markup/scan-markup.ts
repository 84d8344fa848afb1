import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export type Attributes = Record<string, string>;

export interface MarkupEvents {
  open(name: string, attributes: Attributes, selfClosed: boolean): void;
  close(name: string): void;
  text(text: string): void;
}

const pieceLength = 1 << 16;

/**
 * Reports tags and text of HTML or XML, piece by piece, so that a consumer can act between pieces. Entities of a
 * document type are never expanded. htmlparser2's own parser takes quadratic time on deep nesting; its tokenizer does not.
 */
export function* scanMarkup(source: string, xml: boolean, events: MarkupEvents): Generator<void> {
  let name = '';
  let attributes: Attributes = Object.create(null);
  let attribute = '';
  let value = '';
  const slice = (start: number, end: number) => source.slice(start, end);
  const opened = (selfClosed: boolean) => events.open(name, attributes, selfClosed);
  const named = (text: string) => (xml ? text : text.toLowerCase());
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      name = named(slice(start, end));
      attributes = Object.create(null);
    },
    onopentagend: () => opened(false),
    onselfclosingtag: () => opened(true),
    onclosetag: (start, end) => events.close(named(slice(start, end))),
    onattribname(start, end) {
      attribute = named(slice(start, end));
      value = '';
    },
    onattribdata(start, end) {
      value += slice(start, end);
    },
    onattribentity(point) {
      value += String.fromCodePoint(point);
    },
    onattribend() {
      if (!(attribute in attributes)) attributes[attribute] = value;
    },
    ontext: (start, end) => events.text(slice(start, end)),
    ontextentity: (point) => events.text(String.fromCodePoint(point)),
    oncdata: (start, end, offset) => {
      if (xml) events.text(slice(start, end - offset));
    },
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  };
  const tokenizer = new Tokenizer({ xmlMode: xml, decodeEntities: true }, callbacks);
  for (let at = 0; at < source.length; at += pieceLength) {
    tokenizer.write(source.slice(at, at + pieceLength));
    yield;
  }
  tokenizer.end();
  yield;
}
