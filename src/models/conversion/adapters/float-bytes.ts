import { BadRequest } from '../../../contracts/problems.ts';

/** The values of a safetensors tensor as 32-bit floats. */
export function toFloats(bytes: Buffer, dtype: string): Float32Array {
  switch (dtype) {
    case 'F32':
      return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
    case 'F16': {
      const halves = new Float16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      return Float32Array.from(halves);
    }
    case 'BF16': {
      // The upper half of a 32-bit float.
      const words = Uint32Array.from(
        { length: bytes.length / 2 },
        (_, at) => bytes.readUInt16LE(at * 2) << 16,
      );
      return new Float32Array(words.buffer);
    }
    default:
      throw new BadRequest(`the adapter's weights are of type ${dtype}; F32, F16 and BF16 can be converted`);
  }
}

export function toBytes(floats: Float32Array, type: 'F32' | 'F16'): Buffer {
  const numbers = type === 'F32' ? floats : Float16Array.from(floats);
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
