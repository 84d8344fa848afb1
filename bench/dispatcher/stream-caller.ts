import { connect } from 'node:net';
import type { Target } from './processes.ts';

const body = JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'Go.' }], stream: true });
const mark = '"sent":"';
/** All streams share one read buffer, because the caller must cost less than what it measures. */
const buffer = Buffer.allocUnsafeSlow(65_536);

/** Requests a stream and reports the age of each event in milliseconds; resolves when the stream ends. */
export function readStream(target: Target, onEvent: (delay: number) => void): Promise<void> {
  const { hostname, port, host } = new URL(target.url);
  const headers = { host, 'content-type': 'application/json', ...target.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let rest = '';
    const callback = (length: number) => {
      const now = Number(process.hrtime.bigint());
      const text = rest + buffer.toString('latin1', 0, length);
      let read = 0;
      for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, read)) {
        const end = text.indexOf('"', at + mark.length);
        if (end < 0) break;
        read = end;
        onEvent((now - Number(text.slice(at + mark.length, end))) / 1e6);
      }
      rest = text.slice(Math.max(read, text.length - 200));
      if (text.includes('[DONE]')) socket.destroy();
      return true;
    };
    const onread = { buffer, callback };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread }, () =>
      socket.write(head + body),
    );
    socket.on('error', reject).on('close', () => resolve());
  });
}
