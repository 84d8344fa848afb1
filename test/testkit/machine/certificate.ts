import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and a self-signed certificate for 127.0.0.1 and localhost. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(objectId(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from('roundhouse test')));
  const name = sequence(tagged(0x31, commonName));
  const validity = sequence(time('20200101000000Z'), time('21000101000000Z'));
  const names = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    extension([0x55, 0x1d, 0x13], sequence(tagged(0x01, Buffer.from([0xff])))),
    extension([0x55, 0x1d, 0x11], names),
  );
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]);
  const der = sequence(body, ecdsaWithSha256, tagged(0x03, signature));
  const lines = der.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

function objectId(...bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function time(text: string): Buffer {
  return tagged(0x18, Buffer.from(text));
}

function extension(id: number[], value: Buffer): Buffer {
  return sequence(objectId(...id), tagged(0x04, value));
}
