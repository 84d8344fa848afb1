import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/** Where a pod listens. */
export interface PodAddress {
  /** As the `host` header names it. */
  host: string;
  hostname: string;
  port: number;
  secure: boolean;
}

/** What all connections read into, one after the other: thousands of streams would need as many. */
const readBuffer = Buffer.allocUnsafeSlow(65_536);

/** Connects to a pod. The bytes up to `end` that `onBytes` is given must be read at once: their memory is used again. */
export function openSocket(
  { hostname: host, port, secure }: PodAddress,
  onConnected: () => void,
  onBytes: (bytes: Buffer, end: number) => void,
): Socket {
  if (secure) {
    const socket = connectSecurely({
      host,
      port,
      servername: isIP(host) ? '' : host,
      ALPNProtocols: ['http/1.1'],
    });
    return socket.once('secureConnect', onConnected).on('data', (bytes) => onBytes(bytes, bytes.length));
  }
  const callback = (length: number) => {
    onBytes(readBuffer, length);
    return true;
  };
  return connect({ host, port, onread: { buffer: readBuffer, callback } }, onConnected);
}
