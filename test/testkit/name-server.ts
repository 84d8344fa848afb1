import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** The names that were asked for, in order. */
  asked: string[];
  close(): void;
}

/** A name server at 127.0.0.1:53 that knows no names and remembers the questions. */
export async function startNameServer(): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    asked.push(nameIn(question));
    const answer = Buffer.from(question);
    // A response that says NXDOMAIN.
    answer[2] = 0x81;
    answer[3] = 0x83;
    socket.send(answer, port, address);
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  return { asked, close: () => socket.close() };
}

/** The name in the first question. It is a list of labels, each after its length. */
function nameIn(message: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (message[at] ?? 0) > 0; at += (message[at] ?? 0) + 1) {
    labels.push(message.toString('latin1', at + 1, at + 1 + (message[at] ?? 0)));
  }
  return labels.join('.');
}
