import { constants, deflateRawSync } from 'node:zlib';

/** A zip archive whose only member unpacks to so many mebibytes of spaces; it may claim another size. */
export function zipBomb(name: string, mebibytes: number, claimed = mebibytes * 2 ** 20): Buffer {
  // Blocks that end with a full flush do not refer to each other, so one can be repeated.
  const block = deflateRawSync(Buffer.alloc(2 ** 20, 32), { finishFlush: constants.Z_FULL_FLUSH });
  const last = deflateRawSync(Buffer.alloc(0));
  const packed = Buffer.concat([...Array<Buffer>(mebibytes).fill(block), last]);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(claimed, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
  const listed = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, listed, end]);
}
