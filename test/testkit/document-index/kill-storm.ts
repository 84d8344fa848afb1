import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CommandList, CommandStatus } from '../../../src/contracts/document-index/commands.ts';
import type { DocumentStatus } from '../../../src/contracts/document-index/documents.ts';
import { type Random, seededRandom } from '../random.ts';
import { form } from './index-platform.ts';

const program = fileURLToPath(new URL('./index-process.ts', import.meta.url));

interface ServerOptions {
  folder: string;
  url: string;
  /** They are called `bot-0`, `bot-1`, and so on. */
  bots: number;
  /** `host:port` that sources may be on. */
  allowed?: string;
}

interface StormOptions extends ServerOptions {
  commands: number;
  seed: number;
  /** Longest time between kills, in milliseconds. */
  calm: number;
}

interface StormReport {
  kills: number;
  accepted: number;
  outcomes: Record<string, number>;
  /** What a bot must have in the end: contents by name. */
  expected: Map<string, Map<string, string>>;
  problems: string[];
}

/** Gives commands to many bots while the process is killed again and again, and says what should have come of it. */
export async function killStorm(options: StormOptions): Promise<StormReport> {
  const server = new KilledServer(options);
  const report: StormReport = { kills: 0, accepted: 0, outcomes: {}, expected: new Map(), problems: [] };
  const random = seededRandom(options.seed);
  let left = options.commands;
  let busy = true;
  const killing = (async () => {
    while (busy) {
      // On a slow machine a command needs longer, too: it must come through between two kills at last.
      await sleep(50 + random.below(Math.max(options.calm, Math.ceil(2 * server.startedIn))));
      if (!busy) break;
      await server.kill();
      report.kills++;
    }
  })();
  const bots = Array.from({ length: options.bots }, async (_, number) => {
    const user = new BotUser(server, `bot-${number}`, seededRandom(options.seed + 1 + number), report);
    while (left-- > 0) await user.act();
    report.expected.set(user.bot, user.documents);
  });
  await Promise.all(bots);
  busy = false;
  await killing;
  for (const [bot, documents] of report.expected) await checkBot(server, bot, documents, report);
  await server.stop();
  return report;
}

interface ServerAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the callers know the answers
  body: any;
}

/** The process, started again after each kill. */
export class KilledServer {
  #child: ChildProcess | undefined;
  #ready: Promise<{ address: string; key: string }>;
  readonly #options: ServerOptions;
  /** Milliseconds that the last start took. */
  startedIn = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#ready = this.#start();
  }

  /** The answer, or undefined if the process was killed meanwhile. */
  async call(method: string, path: string, body?: FormData): Promise<ServerAnswer | undefined> {
    const { address, key } = await this.#ready;
    try {
      const answer = await fetch(`${address}/indexapi${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body ? { body } : {}),
      });
      return { status: answer.status, body: await answer.json() };
    } catch {
      await sleep(20);
      return undefined;
    }
  }

  /** The same, asked again until there is an answer. */
  async ask(method: string, path: string) {
    for (;;) {
      const answer = await this.call(method, path);
      if (answer) return answer;
    }
  }

  async kill(): Promise<void> {
    await this.#ready;
    this.#child?.kill('SIGKILL');
    if (this.#child) await once(this.#child, 'exit');
    this.#ready = this.#start();
    await this.#ready;
  }

  async stop(): Promise<void> {
    await this.#ready;
    // What the last kill cut off is swept by a start that nobody interrupts.
    await this.kill();
    for (;;) {
      const busy = await Promise.all(
        Array.from({ length: this.#options.bots }, (_, number) =>
          this.ask('GET', `/bot/bot-${number}/commands`),
        ),
      );
      const open = busy
        .flatMap(({ body }) => Object.values(body as CommandList))
        .filter((one) => !one.finished_at);
      if (open.length === 0) break;
      await sleep(50);
    }
    await sleep(1_000);
    this.#child?.kill('SIGTERM');
    if (this.#child) await once(this.#child, 'exit');
  }

  async #start(): Promise<{ address: string; key: string }> {
    const { folder, url, allowed } = this.#options;
    const begun = performance.now();
    const given = [program, folder, url, ...(allowed === undefined ? [] : [allowed])];
    const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const [word, address, key] = line.split(' ');
      if (word !== 'listening' || !address || !key) continue;
      this.startedIn = performance.now() - begun;
      return { address, key };
    }
    throw new Error('the index process ended before it listened');
  }
}

/** Gives one bot a command after the other, and knows what the bot's documents are after each. */
class BotUser {
  readonly bot: string;
  documents = new Map<string, string>();
  readonly #server: KilledServer;
  readonly #random: Random;
  readonly #report: StormReport;
  readonly #known = new Set<string>();

  constructor(server: KilledServer, bot: string, random: Random, report: StormReport) {
    this.bot = bot;
    this.#server = server;
    this.#random = random;
    this.#report = report;
  }

  async act(): Promise<void> {
    const { method, path, body, expected } = this.#choose();
    const command = await this.#accepted(method, path, body);
    if (this.#random.chance(0.15)) await this.#server.call('DELETE', `/bot/${this.bot}/command/${command}`);
    const { status } = await this.#ended(command);
    this.#report.accepted++;
    this.#report.outcomes[status] = (this.#report.outcomes[status] ?? 0) + 1;
    if (status === 'complete') this.documents = expected;
    else if (status !== 'canceled')
      this.#report.problems.push(`${this.bot}: ${method} ${path} ended in ${status}`);
  }

  #choose() {
    const names = [...this.documents.keys()];
    const draw = this.#random.share();
    const name = `document-${this.#random.below(8)}`;
    const whole = `/bot/${this.bot}`;
    if (names.length > 0 && draw < 0.1)
      return { method: 'DELETE', path: whole, expected: new Map<string, string>() };
    if (names.length > 1 && draw < 0.3) {
      const gone = this.#random.pick(names);
      const expected = new Map([...this.documents].filter(([other]) => other !== gone));
      return { method: 'DELETE', path: `${whole}/document/${gone}`, expected };
    }
    if (names.length > 0 && draw < 0.7) {
      const content = this.#content(name);
      const body = form([[name, content]], {}, 'file');
      return {
        method: 'PUT',
        path: `${whole}/document`,
        body,
        expected: new Map([...this.documents, [name, content]]),
      };
    }
    const files = Array.from({ length: 1 + this.#random.below(4) }, (_, number) => `document-${number}`);
    const contents = files.map((file) => [file, this.#content(file)] as [string, string]);
    return { method: 'PUT', path: whole, body: form(contents), expected: new Map(contents) };
  }

  /** Some contents come again: the document is then unchanged. */
  #content(name: string): string {
    const paragraphs = 1 + this.#random.below(6);
    const version = this.#random.below(3);
    return Array.from({ length: paragraphs }, (_, number) => `${name} ${version} ${number}`).join('\n\n');
  }

  /** The id of the command. Where the answer was lost, the list of commands tells whether it was accepted. */
  async #accepted(method: string, path: string, body?: FormData): Promise<string> {
    for (;;) {
      const answer = await this.#server.call(method, path, body);
      if (answer?.status === 202) return this.#learn(answer.body.command_id);
      const { status, body: list } = await this.#server.ask('GET', `/bot/${this.bot}/commands`);
      const unknown = status === 200 ? Object.keys(list).filter((id) => !this.#known.has(id)) : [];
      if (unknown.length > 1)
        this.#report.problems.push(`${this.bot}: a request became ${unknown.length} commands`);
      if (unknown[0]) return this.#learn(unknown[0]);
      if (answer && answer.status !== 409) {
        this.#report.problems.push(
          `${this.bot}: ${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      }
      await sleep(20);
    }
  }

  #learn(id: string): string {
    this.#known.add(id);
    return id;
  }

  async #ended(command: string): Promise<CommandStatus> {
    for (;;) {
      const { status, body } = await this.#server.ask('GET', `/bot/${this.bot}/command/${command}`);
      if (status !== 200) throw new Error(`command ${command} of ${this.bot} was lost: ${status}`);
      if (body.finished_at) return body;
      await sleep(15);
    }
  }
}

async function checkBot(
  server: KilledServer,
  bot: string,
  documents: ReadonlyMap<string, string>,
  { problems }: StormReport,
): Promise<void> {
  const { status, body } = await server.ask('GET', `/bot/${bot}/documents`);
  const found = new Map((status === 200 ? (body as DocumentStatus[]) : []).map((one) => [one.name, one]));
  for (const [name, content] of documents) {
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (found.get(name)?.sha256 !== sha256) problems.push(`${bot}: ${name} is lost or not the last version`);
  }
  for (const name of found.keys()) if (!documents.has(name)) problems.push(`${bot}: ${name} should be gone`);
}
