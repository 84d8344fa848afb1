import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, EnvHttpProxyAgent } from 'undici';
import { portOf } from './check-url.ts';
import { addressesOf, type GuardDependencies } from './guard.ts';

const connectTimeout = 10_000;

const options = {
  // Another limit than the idle one: a server may think for a while before it answers.
  headersTimeout: 60_000,
  bodyTimeout: 30_000,
  keepAliveTimeout: 10_000,
  connections: 32,
  maxHeaderSize: 32 * 2 ** 10,
};

/**
 * Connects only to addresses that were checked for this connection: the name is resolved once, and the socket takes its
 * address from that answer, so a second answer of a name server can't lead elsewhere.
 */
export function createGuardedAgent(deps: GuardDependencies): Agent {
  return new Agent({
    ...options,
    connect(target, callback) {
      withinTime(addressesOf(deps, target.hostname, portOf(target)))
        .then((addresses) =>
          buildConnector({
            timeout: connectTimeout,
            allowH2: false,
            autoSelectFamily: true,
            lookup: answering(addresses),
          })(target, callback),
        )
        .catch((error: Error) => callback(error, null));
    },
  });
}

/** For servers that the administrator named in the settings. Uses the proxies that the environment names. */
export const createPlainAgent = (): EnvHttpProxyAgent =>
  new EnvHttpProxyAgent({
    ...options,
    connect: { timeout: connectTimeout, allowH2: false, autoSelectFamily: true },
  });

const answering =
  (addresses: LookupAddress[]): LookupFunction =>
  (_, { all }, callback) => {
    if (all) callback(null, addresses);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };

function withinTime<Value>(work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () =>
    reject(Object.assign(new Error('the name server did not answer'), { code: 'EAI_AGAIN' }));
  const timer = setTimeout(late, connectTimeout);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
