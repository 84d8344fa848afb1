import { elementTypes, inAttribute, inNode, inOpset, inTensor, inValue } from './field-numbers.ts';
import { bytes, integer, message, text } from './protobuf.ts';

interface NodeParts {
  type: string;
  domain?: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Integers and lists of integers. */
  attributes?: Readonly<Record<string, number | number[]>>;
}

export function encodeNode({ type, domain = '', inputs, outputs, attributes = {} }: NodeParts): Buffer {
  return message(
    inputs.map((name) => text(inNode.input, name)),
    outputs.map((name) => text(inNode.output, name)),
    text(inNode.type, type),
    Object.entries(attributes).map(([name, value]) => bytes(inNode.attribute, encodeAttribute(name, value))),
    domain === '' ? [] : text(inNode.domain, domain),
  );
}

function encodeAttribute(name: string, value: number | number[]): Buffer {
  const [integerType, integersType] = [2, 7];
  const head = text(inAttribute.name, name);
  if (!Array.isArray(value))
    return message(head, integer(inAttribute.integer, value), integer(inAttribute.type, integerType));
  const numbers = value.map((each) => integer(inAttribute.integers, each));
  return message(head, numbers, integer(inAttribute.type, integersType));
}

/** A constant. Its shape is that of a scalar, unless dimensions are given. */
export function encodeTensor(
  name: string,
  data: Float32Array | Uint8Array | BigInt64Array | Int32Array,
  dimensions: readonly number[] = [],
): Buffer {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return message(
    dimensions.map((dimension) => integer(inTensor.dimension, dimension)),
    integer(inTensor.type, elementTypeOf(data)),
    text(inTensor.name, name),
    bytes(inTensor.data, raw),
  );
}

function elementTypeOf(data: Float32Array | Uint8Array | BigInt64Array | Int32Array): number {
  if (data instanceof Float32Array) return elementTypes.float32;
  if (data instanceof BigInt64Array) return elementTypes.int64;
  return data instanceof Int32Array ? elementTypes.int32 : elementTypes.uint8;
}

/** An input or output of a graph. Dimensions that vary have a name. */
export function encodeValue(name: string, type: number, dimensions: readonly (string | number)[]): Buffer {
  const [inTensorType, inShape] = [1, 2];
  const shape = dimensions.map((dimension) =>
    bytes(1, typeof dimension === 'number' ? integer(1, dimension) : text(2, dimension)),
  );
  const tensor = message(integer(1, type), bytes(inShape, message(shape)));
  return message(text(inValue.name, name), bytes(inValue.type, bytes(inTensorType, tensor)));
}

export function encodeOpset(domain: string, version: number): Buffer {
  return message(domain === '' ? [] : text(inOpset.domain, domain), integer(inOpset.version, version));
}
