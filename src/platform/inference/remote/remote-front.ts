import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InferencePath } from '../../../contracts/inference-endpoints.ts';
import { ModelResponse } from '../../../contracts/openai/models.ts';
import { NotFound, PayloadTooLarge, Problem, UpstreamFailed } from '../../../contracts/problems.ts';
import type { InferenceSurface } from '../../../contracts/surfaces.ts';
import { allows, type Caller } from '../../http/access.ts';
import { answerProblem } from '../../http/errors/answer-problem.ts';
import { Forwarder } from '../../http/forwarding/forwarder.ts';
import { addressOf } from '../../wire/open-socket.ts';
import { type Aliases, withAliases } from '../aliases.ts';
import { botPrefix } from '../answering-models.ts';
import { type InferenceFront, type ServedSurface, servedName } from '../inference-front.ts';
import { replaceModel } from '../replace-model.ts';
import { readProblem } from '../sending/read-problem.ts';
import { noRetries } from '../sending/retries.ts';
import { askForJson, type Sender } from '../sending/send-request.ts';
import { enterLimits, type LocalLimits } from './remote-limits.ts';

interface RemoteOptions {
  /** Address of the dispatcher. */
  url: string;
  sender: Sender;
  bodyLimit: number;
  /** Names that work on every surface that offers the model behind them. */
  aliases: Aliases;
  /** Absent where the dispatcher shares this process's database, and therefore counts for its keys itself. */
  local?: LocalLimits | undefined;
}

export interface RemoteFront extends InferenceFront {
  close(): void;
}

/** The front of a dispatcher in another process. Names are resolved here: only this process knows its own surfaces. */
export function remoteFront(options: RemoteOptions): RemoteFront {
  const { url, sender } = options;
  const forwarder = new Forwarder({ target: addressOf(new URL(url)), name: 'the dispatcher' });
  return {
    addSurface: (surface) => new RemoteSurface(surface, forwarder, options),
    models() {
      const options = { credentials: 'platform', signal: AbortSignal.timeout(10_000) } as const;
      return askForJson(sender, { method: 'GET', path: '/v1/models' }, ModelResponse, options, noRetries);
    },
    // The dispatcher knows which bots its process offers, but not which of them this caller may use.
    bots: async () => [],
    close: () => forwarder.close(),
  };
}

class RemoteSurface implements ServedSurface {
  #surface: InferenceSurface;
  readonly #forwarder: Forwarder;
  readonly #options: RemoteOptions;

  constructor(surface: InferenceSurface, forwarder: Forwarder, options: RemoteOptions) {
    this.#surface = { ...surface, aliases: withAliases(surface.aliases, options.aliases) };
    this.#forwarder = forwarder;
    this.#options = options;
  }

  rename({ aliases, only }: Pick<InferenceSurface, 'aliases' | 'only'>): void {
    this.#surface = { ...this.#surface, aliases: withAliases(aliases, this.#options.aliases), only };
  }

  /** Requests arrive through the web framework alone, whose routes no longer find this surface. */
  remove(): void {}

  answer(request: IncomingMessage, response: ServerResponse, path: InferencePath, caller: Caller): void {
    this.#forward(request, response, path, caller).catch((error: unknown) => {
      const problem =
        error instanceof Problem
          ? error
          : new UpstreamFailed('the request could not be read', { cause: error });
      answerProblem(request, response, problem, this.#surface.shape);
    });
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    path: InferencePath,
    caller: Caller,
  ): Promise<void> {
    const { bodyLimit, local, sender } = this.#options;
    const body = await readBody(request, bodyLimit);
    const { model, maxTokens } = fieldsIn(body);
    const served = model === undefined ? undefined : this.#served(model);
    // This process vouches for callers below, so it has to check what the dispatcher can't.
    if (served?.startsWith(botPrefix) && !mayReadBots(caller)) throw unreadable(served);
    const limited = local && caller.kind === 'key';
    const watch = limited
      ? await enterLimits(local, { caller, path, body, model, served, maxTokens }, response)
      : undefined;
    // The dispatcher does not know a key of another database, so this process vouches for its holder.
    const authorization = limited && sender.ownKey ? `Bearer ${sender.ownKey}` : undefined;
    const credentials = authorization
      ? ('platform' as const)
      : { authorization: request.headers.authorization };
    this.#forwarder.forward(request, response, path, this.#surface.shape, {
      body: served === undefined || served === model ? body : replaceModel(body, served),
      readProblem: (answer) => readProblem(answer, credentials, Date.now()),
      authorization,
      ...(watch ? { watch } : {}),
    });
  }

  #served(model: string): string {
    const served = servedName(this.#surface, model);
    if (served !== undefined) return served;
    throw unreadable(model);
  }
}

const mayReadBots = (caller: Caller) => caller.kind === 'key' && allows(caller.scopes, 'index:read');

const unreadable = (model: string) =>
  new NotFound('model', model, { code: 'model_not_found', param: 'model' });

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection stays open for the refusal, which most clients read only once they have sent everything.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      request.resume();
      throw new PayloadTooLarge(`the request body is larger than ${limit} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The fields that are read here. The dispatcher refuses a body that is not valid. */
function fieldsIn(body: Buffer): { model: string | undefined; maxTokens: number } {
  try {
    const { model, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
    const most = rest.max_completion_tokens ?? rest.max_tokens;
    return {
      model: typeof model === 'string' ? model : undefined,
      maxTokens: typeof most === 'number' && most > 0 ? most : 0,
    };
  } catch {
    return { model: undefined, maxTokens: 0 };
  }
}
