import type { AddressLimits } from './address-limits.ts';

/** The bots that everybody may use: `chatbot.public` of the configuration. */
export class PublicBots {
  readonly #bots: readonly string[];
  readonly #addresses: AddressLimits;

  /** `*` stands for all bots. */
  constructor(bots: readonly string[], addresses: AddressLimits) {
    this.#bots = bots;
    this.#addresses = addresses;
  }

  get any(): boolean {
    return this.#bots.length > 0;
  }

  has(bot: string): boolean {
    return this.#bots.includes('*') || this.#bots.includes(bot);
  }

  /** Counts a question without a key, or throws if the address has asked too many. */
  enter(address: string): void {
    this.#addresses.enter(address);
  }
}
