import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/** Where a server listens: on a TCP port, or on a Unix socket. */
export type ServerAddress = TcpAddress | { path: string };

export interface TcpAddress {
  /** The value of the `host` header. */
  host: string;
  hostname: string;
  port: number;
  secure: boolean;
  /** PEM certificates to trust instead of the default ones. */
  ca?: string | undefined;
}

interface OpenOptions {
  /** In milliseconds. After it, the socket fails with the code `connect_timeout`. */
  connectTimeout?: number;
  /** Where bytes are read into. Without it they arrive as `data` events, each in a new buffer. */
  onread?: OnReadOpts;
}

export function addressOf({ protocol, host, hostname, port }: URL): TcpAddress {
  const secure = protocol === 'https:';
  return {
    host,
    // `connect` expects IPv6 addresses without brackets.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (secure ? 443 : 80)),
    secure,
  };
}

/** Opens a connection. Bytes may be written at once; they are sent when it is established. */
export function openSocket(address: ServerAddress, { connectTimeout, onread }: OpenOptions = {}): Socket {
  const isSecure = 'port' in address && address.secure;
  const socket = isSecure ? openSecurely(address, onread) : openPlainly(address, onread);
  if (connectTimeout !== undefined) {
    const expire = () =>
      socket.destroy(Object.assign(new Error('connecting took too long'), { code: 'connect_timeout' }));
    const timer = setTimeout(expire, connectTimeout);
    const stop = () => clearTimeout(timer);
    socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
  }
  return socket;
}

function openPlainly(address: ServerAddress, onread: OnReadOpts | undefined): Socket {
  const place = 'path' in address ? address : { host: address.hostname, port: address.port };
  return connect({ ...place, noDelay: true, ...(onread && { onread }) });
}

function openSecurely({ hostname, port, ca }: TcpAddress, onread: OnReadOpts | undefined): Socket {
  const socket = connectSecurely({
    host: hostname,
    port,
    // Node warns about IP addresses here; the certificate is checked against `host` then.
    servername: isIP(hostname) ? '' : hostname,
    ALPNProtocols: ['http/1.1'],
    ...(ca !== undefined && { ca }),
    // The type definitions lack `onread` here, but TLS sockets support it.
    ...(onread && { onread }),
  });
  return socket.setNoDelay(true);
}
