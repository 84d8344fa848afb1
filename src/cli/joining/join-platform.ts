import { randomBytes } from 'node:crypto';
import { chooseAddress } from './choose-address.ts';
import type { PlatformToJoin } from './platform-client.ts';
import { routeTo } from './route-to.ts';
import { tryAddress } from './try-address.ts';

interface JoinFlags {
  join: string;
  model: string;
  servedModelName?: string;
  host?: string;
  port: number;
  advertise?: string;
  podId?: string;
}

interface JoinKeys {
  /** The pod presents it to the platform. */
  key: string | undefined;
  /** The platform presents it to the pod. Absent: a new one. */
  secret: string | undefined;
}

export interface JoinedPlace {
  host: string;
  port: number;
  advertise: string | undefined;
  dispatcher: string | undefined;
  podId: string | undefined;
  secret: string | undefined;
  /** The platform that was joined. */
  platform?: PlatformToJoin;
}

/** Finds the address at which the platform reaches a pod of this machine, and checks that it does. */
export async function joinPlatform(flags: JoinFlags, { key, secret }: JoinKeys): Promise<JoinedPlace> {
  const platform = { url: withoutTail(flags.join), key };
  const podId = flags.podId ?? `${nameOf(flags)}-${randomBytes(3).toString('hex')}`;
  const chosen = chooseAddress(flags, await routeTo(platform.url));
  const { port, address } = await tryAddress(platform, podId, chosen, flags.port);
  return {
    host: chosen.host,
    port,
    advertise: address,
    dispatcher: platform.url,
    podId,
    // A pod that other machines can reach must not answer everybody.
    secret: secret ?? randomBytes(32).toString('base64url'),
    platform,
  };
}

/** `http://host:5500/v1/`, as a client is given it, → `http://host:5500`. */
const withoutTail = (url: string) => url.replace(/\/+$/, '').replace(/\/v1$/, '');

/** The last part of a path or id, for people who read the list of pods. */
function nameOf({ servedModelName, model }: JoinFlags): string {
  const name = servedModelName ?? model;
  return name.split('/').at(-1)?.slice(0, 100) || 'pod';
}
