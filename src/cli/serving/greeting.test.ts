import { describe, expect, test } from 'vitest';
import { greeting } from './greeting.ts';

const adminKey = { file: '/data/admin-token', configured: false, inFile: true, replaced: false };
const local = 'http://127.0.0.1:5500';
const whole = { address: local, local, adminKey, open: true, terminal: true, seconds: 1 };
const dispatcher = { part: 'dispatcher', docs: '/docs' };
const management = { part: 'management', docs: '/api/docs' };

describe('greeting', () => {
  test('lists the page and the references of all parts', () => {
    const text = greeting({ ...whole, served: [dispatcher, management, { part: 'console' }] });
    expect(text).toContain('Open            http://127.0.0.1:5500/\n');
    expect(text).toMatch(/dispatcher +http:\/\/127\.0\.0\.1:5500\/docs\n/);
    expect(text).toMatch(/management +http:\/\/127\.0\.0\.1:5500\/api\/docs\n/);
    expect(text).toContain('no key for the dispatcher and the management API');
  });

  test('names nothing that this process does not serve', () => {
    const text = greeting({ ...whole, served: [dispatcher] });
    expect(text).toContain('Listening on    http://127.0.0.1:5500\n');
    expect(text).not.toContain('/api/docs');
    expect(text).not.toContain('management');
    expect(greeting({ ...whole, served: [{ part: 'chatbot' }] })).not.toMatch(/references|need no key/);
  });

  test('says which dispatcher it needs, and what is wrong with it', () => {
    const url = 'http://10.0.0.2:5500';
    const text = (problem: string | null) =>
      greeting({ ...whole, served: [management], dispatcher: { url, problem } });
    expect(text(null)).toContain(`Dispatcher      ${url}\n`);
    expect(text(null)).toContain('is ready');
    expect(text('it refuses the key')).toContain('Not ready yet: it refuses the key.');
    expect(text('it refuses the key')).not.toContain('is ready');
  });

  test.each([
    [{ unseen: 'rh-new' }, 'rh-new  (shown only this once; stored in /data/admin-token)'],
    [{}, 'in /data/admin-token'],
    [{ configured: true, inFile: false }, 'as configured (admin_token)'],
    [{ inFile: false }, 'not known to this process'],
  ])('describes the admin key %j', (key, expected) => {
    const text = greeting({ ...whole, adminKey: { ...adminKey, ...key }, served: [] });
    expect(text).toContain(`Admin key       ${expected}`);
  });

  test('names the file instead of the key where a log would keep it', () => {
    const unseen = { ...adminKey, unseen: 'rh-new' };
    const text = greeting({ ...whole, adminKey: unseen, terminal: false, served: [] });
    expect(text).toContain('Admin key       in /data/admin-token\n');
    expect(text).not.toContain('rh-new');
  });

  test('shows an address for others beside the local one, and that a key is needed', () => {
    const address = 'http://10.1.2.3:5500';
    const text = greeting({ ...whole, address, open: false, served: [dispatcher, { part: 'console' }] });
    expect(text).toContain(
      'Open            http://10.1.2.3:5500/\n  On this machine http://127.0.0.1:5500/\n',
    );
    expect(text).toMatch(/dispatcher +http:\/\/10\.1\.2\.3:5500\/docs\n/);
    expect(text).toContain('Callers need a key. Create one with: ./roundhouse keys create --name <name>');
    expect(text).not.toContain('need no key');
  });
});
