import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSecretBox } from './secret-box.ts';
import { openSecretKey } from './secret-key.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'roundhouse-secrets-'));

it('opens what it sealed, for the same purpose and with the same key only', () => {
  const box = createSecretBox('a key of some length');
  const sealed = box.seal('пароль hunter2', 'bot:help');
  expect(sealed.toString('latin1')).not.toContain('hunter2');
  expect(box.open(sealed, 'bot:help')).toBe('пароль hunter2');
  expect(createSecretBox('a key of some length').open(sealed, 'bot:help')).toBe('пароль hunter2');
  expect(box.open(sealed, 'bot:other')).toBeUndefined();
  expect(createSecretBox('another key').open(sealed, 'bot:help')).toBeUndefined();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(box.open(changed, 'bot:help'), `byte ${at}`).toBeUndefined();
  }
  expect(box.open(Buffer.alloc(0), 'bot:help')).toBeUndefined();
  expect(box.open(sealed.subarray(0, 20), 'bot:help')).toBeUndefined();
  expect(box.seal('same', 'x').equals(box.seal('same', 'x'))).toBe(false);
});

it('generates a key once, readable by its owner only, unless one is configured', () => {
  const dataDir = folder();
  const key = openSecretKey({ dataDir });
  expect(openSecretKey({ dataDir })).toBe(key);
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  expect(openSecretKey({ dataDir, configured: 'from the environment' })).toBe('from the environment');
  expect(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()).toBe(key);
  writeFileSync(join(dataDir, 'secret.key'), '');
  expect(() => openSecretKey({ dataDir })).toThrow(/is not a key/);
});
