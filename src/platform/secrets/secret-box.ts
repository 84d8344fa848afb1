import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export interface SecretBox {
  /** Encrypts a text. It can be opened for the same purpose only, such as a bot's id. */
  seal(text: string, purpose: string): Buffer;
  /** Undefined where the bytes were sealed with another key or for another purpose, or were changed. */
  open(sealed: Uint8Array, purpose: string): string | undefined;
}

/** Encrypts secrets that must be stored. */
export function createSecretBox(secret: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'roundhouse stored secrets', 32));
  return {
    seal(text, purpose) {
      const nonce = randomBytes(nonceBytes);
      const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([encryption.update(text, 'utf8'), encryption.final()]);
      return Buffer.concat([nonce, encryption.getAuthTag(), sealed]);
    },
    open(sealed, purpose) {
      const [nonce, tag] = [
        sealed.subarray(0, nonceBytes),
        sealed.subarray(nonceBytes, nonceBytes + tagBytes),
      ];
      try {
        const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
        decryption.setAAD(Buffer.from(purpose)).setAuthTag(tag);
        const text = Buffer.concat([
          decryption.update(sealed.subarray(nonceBytes + tagBytes)),
          decryption.final(),
        ]);
        return text.toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
