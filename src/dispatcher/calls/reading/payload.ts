import type { Readable } from 'node:stream';
import { replaceModel } from '../../../platform/inference/replace-model.ts';
import { bytesPerToken } from '../../../platform/inference/streams/answer-tail.ts';
import type { Prompt } from '../../routing/scheduler.ts';
import type { Endpoint } from './endpoints.ts';
import type { ParsedRequest } from './parse-request.ts';
import { withDefaults } from './rewrite-body.ts';

/** A request's body on its way to a pod. */
export interface Payload {
  /** The name the caller used. */
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: Prompt | undefined;
  /** Estimates: of what the prompt takes, and of what the answer takes at most, 0 where nobody knows. */
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** Whether it can still be sent, once or once more. */
  canSend(): boolean;
  /** The body for a pod that knows the model by this name. */
  bodyFor(name: string): Buffer | Readable;
  /** The headers that tell its length, where it is a stream of known length. */
  length: number | undefined;
  dispose(): void;
}

/** A JSON body: held whole, since it has to be read for routing anyway. */
export class JsonPayload implements Payload {
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: Prompt | undefined;
  readonly promptTokens: number;
  readonly maxTokens: number;
  readonly length = undefined;
  readonly #bytes: Buffer;
  readonly #defaults: ParsedRequest | undefined;

  constructor(endpoint: Endpoint, parsed: ParsedRequest, bytes: Buffer) {
    this.model = parsed.model;
    this.stream = parsed.stream;
    this.#bytes = bytes;
    this.#defaults = endpoint.generates ? parsed : undefined;
    const start = endpoint.promptKey === undefined ? -1 : bytes.indexOf(endpoint.promptKey);
    this.prompt = start < 0 ? undefined : { bytes, start };
    this.promptTokens = Math.ceil((bytes.length - Math.max(0, start)) / bytesPerToken);
    this.maxTokens = parsed.maxTokens;
  }

  canSend(): boolean {
    return true;
  }

  bodyFor(name: string): Buffer {
    const bytes = this.#defaults ? withDefaults(this.#bytes, this.#defaults) : this.#bytes;
    return name === this.model ? bytes : replaceModel(bytes, name);
  }

  dispose(): void {}
}
