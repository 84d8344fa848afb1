import { describe, expect, test } from 'vitest';
import type { StarterEvent } from '../../models/catalog/bring-up-starters.ts';
import { readCatalog } from '../../models/catalog/catalog.ts';
import { announceStarters } from './announce-starters.ts';

describe('announceStarters', () => {
  const [chat] = readCatalog().filter((model) => model.starter && model.task === 'llm');
  if (!chat) throw new Error('the catalog has no starter for chat');

  const usage = { inference: 'http://127.0.0.1:5500/v1', page: 'http://127.0.0.1:5500/' };

  function shown(isTTY: boolean, key: string | undefined, events: StarterEvent[]): string {
    let text = '';
    const out = { isTTY, columns: 200, write: (piece: string) => (text += piece) };
    const announce = announceStarters({ ...usage, key }, out);
    for (const event of events) announce(event);
    return text;
  }
  const progress = (done: number): StarterEvent => ({
    kind: 'progress',
    model: chat.id,
    file: 'model.gguf',
    source: 'hub org/name',
    done,
    total: 100_000_000,
  });

  test('says how to talk to the model; with the key only where one is needed', () => {
    const open = shown(false, undefined, [{ kind: 'ready', model: chat }]);
    expect(open).toContain('./roundhouse chat');
    expect(open).toContain(
      "curl http://127.0.0.1:5500/v1/chat/completions -H 'content-type: application/json' -d '{",
    );
    const closed = shown(false, '$(cat /data/admin-token)', [{ kind: 'ready', model: chat }]);
    expect(closed).toContain('-H "authorization: Bearer $(cat /data/admin-token)" -d');
  });

  test('a terminal has one line that moves, a log a line at each tenth', () => {
    const events = Array.from({ length: 101 }, (_, percent) => progress(percent * 1_000_000));
    expect(shown(false, undefined, events).trim().split('\n')).toHaveLength(11);
    const moving = shown(true, undefined, [...events, { kind: 'starting', model: chat }]);
    expect(moving.split('\n')).toHaveLength(3);
    expect(moving).toContain('100 %  100.0/100.0 MB');
  });

  test('a terminal that does not know its width shows the line all the same', () => {
    let text = '';
    const out = { isTTY: true, columns: 0, write: (piece: string) => (text += piece) };
    announceStarters({ ...usage, key: undefined }, out)(progress(50_000_000));
    expect(text).toContain('50 %');
  });

  test('a failure is told, with what comes next', () => {
    const text = shown(false, undefined, [
      { kind: 'failed', model: chat, reason: 'no source can be reached' },
    ]);
    expect(text).toContain('no source can be reached');
    expect(text).toContain('the next start tries again');
  });
});
