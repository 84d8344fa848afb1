/** A field of a protobuf message. Only the kinds that ONNX uses are distinguished. */
export interface Field {
  number: number;
  /** A varint's value, rounded above 2^53, or 0. */
  value: number;
  /** The content of a length-delimited field; empty otherwise. */
  content: Buffer;
  /** The whole field with its tag, for copying. */
  raw: Buffer;
}

export class MalformedMessage extends Error {}

interface Position {
  at: number;
}

/** Lists the fields of a message without copying. A length beyond the end of the message is an error. */
export function* readFields(message: Buffer): Generator<Field> {
  const position: Position = { at: 0 };
  while (position.at < message.length) {
    const start = position.at;
    const tag = readVarint(message, position);
    const kind = tag % 8;
    const value = kind === 0 ? readVarint(message, position) : 0;
    const length = lengthOf(kind, message, position);
    if (length > message.length - position.at)
      throw new MalformedMessage('a field is longer than its message');
    const content = message.subarray(position.at, position.at + length);
    position.at += length;
    yield { number: Math.floor(tag / 8), value, content, raw: message.subarray(start, position.at) };
  }
}

/** Reads packed varints. */
export function readNumbers(packed: Buffer): number[] {
  const position: Position = { at: 0 };
  const numbers: number[] = [];
  while (position.at < packed.length) numbers.push(readVarint(packed, position));
  return numbers;
}

function lengthOf(kind: number, message: Buffer, position: Position): number {
  if (kind === 0) return 0;
  if (kind === 1) return 8;
  if (kind === 2) return readVarint(message, position);
  if (kind === 5) return 4;
  throw new MalformedMessage(`a field has the unknown kind ${kind}`);
}

function readVarint(message: Buffer, position: Position): number {
  let value = 0;
  for (let power = 1, count = 0; count < 10; count++, power *= 128) {
    const byte = message[position.at++];
    if (byte === undefined) throw new MalformedMessage('a number is cut off');
    value += (byte & 127) * power;
    if (byte < 128) return value;
  }
  throw new MalformedMessage('a number has more than ten bytes');
}

export const message = (...parts: (Buffer | Buffer[])[]): Buffer => Buffer.concat(parts.flat());

export const text = (number: number, content: string): Buffer => bytes(number, Buffer.from(content));

export const integer = (number: number, value: number): Buffer =>
  message(varintOf(number * 8), varintOf(value));

export const bytes = (number: number, content: Buffer): Buffer =>
  message(header(number, content.length), content);

/** Tag and length of a field whose content is written after it. */
export const header = (number: number, length: number): Buffer =>
  message(varintOf(number * 8 + 2), varintOf(length));

/** Negative values are written as 64-bit two's complement, as protobuf does. */
function varintOf(value: number): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  while (rest > 127n) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...out, Number(rest)]);
}
