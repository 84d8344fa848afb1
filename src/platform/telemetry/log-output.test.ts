import { describe, expect, test } from 'vitest';
import { logOutput } from './log-output.ts';

describe('logOutput', () => {
  function output(write: (bytes: Uint8Array) => number) {
    return logOutput({ lossLine: (count) => `lost ${count}\n`, write });
  }
  const failing = (code: string) => Object.assign(new Error(code), { code });

  test.each(['ENOSPC', 'EPIPE', 'EAGAIN'])(
    'drops and counts lines at %s, and continues afterwards',
    (code) => {
      let broken = false;
      let text = '';
      const destination = output((bytes) => {
        if (broken) throw failing(code);
        text += Buffer.from(bytes).toString();
        return bytes.length;
      });
      destination.write('one\n');
      broken = true;
      destination.write('two\n');
      destination.write('three\n');
      broken = false;
      destination.write('four\n');
      expect(text).toBe('one\nlost 2\nfour\n');
    },
  );

  test('a line that was cut off does not run into the next one', () => {
    let room = 6;
    let text = '';
    const destination = output((bytes) => {
      if (room === 0) throw failing('ENOSPC');
      const length = Math.min(room, bytes.length);
      text += Buffer.from(bytes.subarray(0, length)).toString();
      room -= length;
      return length;
    });
    destination.write('one\n');
    destination.write('second\n');
    room = 100;
    destination.write('third\n');
    expect(text).toBe('one\nse\nlost 1\nthird\n');
  });
});
