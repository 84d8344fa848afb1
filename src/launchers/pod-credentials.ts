import { randomBytes } from 'node:crypto';
import { platformActor } from '../contracts/actor.ts';
import { generateKey } from '../platform/auth/key-format.ts';
import type { KeyDependencies } from '../platform/auth/keys/create-key.ts';
import { forgetPodKeys, storePodKey } from '../platform/auth/keys/pod-keys.ts';
import { type Environment, variableOf } from '../platform/config/environment.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

interface CredentialOptions extends KeyDependencies {
  logger: Pick<Logger, 'error'>;
  /** The key for pods that report to a platform with a database of its own. Absent: each pod gets one. */
  configuredKey: string | undefined;
}

/** Gives each pod a key to report with, and a secret without which it answers nobody. */
export class PodCredentials {
  readonly #options: CredentialOptions;
  readonly #secrets = new Map<string, string>();
  /** One write after another, so that a key is never stored after it was forgotten. */
  #writes: Promise<void> = Promise.resolve();

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** Forgets the keys of an earlier run. Only for a database that no other process uses. */
  forgetEarlier(): void {
    this.#write(() => forgetPodKeys(this.#options));
  }

  /** New credentials, as environment variables. The key is stored long before the pod can report. */
  issue(podId: string): Environment {
    const { configuredKey } = this.#options;
    const key = configuredKey ?? generateKey();
    const secret = randomBytes(32).toString('base64url');
    this.#secrets.set(podId, secret);
    if (configuredKey === undefined) {
      this.#write(() => storePodKey(this.#options, platformActor('launcher'), { podId, key }));
    }
    return { [variableOf(['pod', 'key'])]: key, [variableOf(['pod', 'secret'])]: secret };
  }

  secretOf(podId: string): string | undefined {
    return this.#secrets.get(podId);
  }

  async forget(podId: string): Promise<void> {
    this.#secrets.delete(podId);
    await this.#write(() => forgetPodKeys(this.#options, [podId]));
  }

  #write(work: () => Promise<void>): Promise<void> {
    this.#writes = this.#writes
      .then(work)
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error }, "a pod's key could not be stored"),
      );
    return this.#writes;
  }
}
