import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  port: number;
  /** The names that were asked for, in order. */
  asked: string[];
  close(): void;
}

interface NameServerOptions {
  port?: number;
  /** The IPv4 addresses of a name. `times` counts the questions for it, from 1. */
  answer?(name: string, times: number): string[];
}

/** A name server at 127.0.0.1 that remembers the questions. By default it is at port 53 and knows no names. */
export async function startNameServer({ port = 53, answer }: NameServerOptions = {}): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port: from }) => {
    const name = nameIn(question);
    asked.push(name);
    const addresses = answer?.(name, asked.filter((other) => other === name).length) ?? [];
    socket.send(answerTo(question, addresses), from, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, asked, close: () => socket.close() };
}

function answerTo(question: Buffer, addresses: string[]): Buffer {
  const message = Buffer.from(question.subarray(0, endOfQuestion(question)));
  message[2] = 0x81;
  // 0x83 says NXDOMAIN.
  message[3] = addresses.length > 0 ? 0x80 : 0x83;
  message.writeUInt16BE(addresses.length, 6);
  message.writeUInt32BE(0, 8);
  // Each answer: a pointer to the name in the question, type A, class IN, 0 seconds to live, 4 bytes.
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([message, ...records]);
}

function endOfQuestion(message: Buffer): number {
  let at = 12;
  while ((message[at] ?? 0) > 0) at += (message[at] ?? 0) + 1;
  return at + 5;
}

/** The name in the first question. It is a list of labels, each after its length. */
function nameIn(message: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (message[at] ?? 0) > 0; at += (message[at] ?? 0) + 1) {
    labels.push(message.toString('latin1', at + 1, at + 1 + (message[at] ?? 0)));
  }
  return labels.join('.');
}
