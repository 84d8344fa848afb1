import { type Assistants, openAssistants, openReaders } from './assistants.ts';
import type { ProcessLauncher } from './launchers/process/process-launcher.ts';
import { resolveAliases } from './platform/inference/aliases.ts';
import { createInference, type Inference } from './platform/inference/inference.ts';
import type { InferenceFront } from './platform/inference/inference-front.ts';
import { remoteFront } from './platform/inference/remote/remote-front.ts';
import { httpTransport } from './platform/inference/sending/http-transport.ts';
import type { InferenceTransport } from './platform/inference/sending/transport.ts';
import type { Closers } from './platform/parts/closers.ts';
import type { Foundation, Part } from './platform/parts/part.ts';
import type { VectorStore } from './platform/vectors/vector-store.ts';
import type { Config } from './settings.ts';

/** The parts that `--only` can name. */
export const partNames = ['dispatcher', 'management', 'hosted', 'index', 'chatbot', 'console'] as const;
export type PartName = (typeof partNames)[number];

/** Opens the parts in dependency order. Parts that are not requested are not even loaded. */
export async function openParts(
  foundation: Foundation<Config>,
  { only, vectors }: { only: readonly PartName[]; vectors: VectorStore | undefined },
  closers: Closers,
) {
  const parts: Part[] = [];
  const add = <Opened extends Part>(part: Opened): Opened => {
    parts.push(part);
    closers.add(() => part.close?.());
    return part;
  };
  const asked = (name: PartName) => only.includes(name);
  let assistants: Assistants | undefined;

  const runsPods = asked('dispatcher') || asked('management');
  const launcher = runsPods ? await openLauncher(foundation, asked('dispatcher'), closers) : undefined;
  const dispatcher =
    launcher && asked('dispatcher')
      ? add(await (await import('./dispatcher/part.ts')).openDispatcher(foundation, { launcher }))
      : undefined;
  const inference = dispatcher?.inference ?? remoteInference(foundation, closers);
  const management =
    launcher && asked('management')
      ? add(
          await (await import('./management/part.ts')).openManagement(foundation, {
            launcher,
            inference,
            pods: dispatcher?.pods,
            bots: async () => (await assistants?.bots.count()) ?? null,
          }),
        )
      : undefined;
  const readers = asked('hosted') || asked('index') ? await openReaders(foundation, closers) : undefined;
  if (readers && asked('hosted')) {
    const { openHosted } = await import('./hosted/part.ts');
    const transport = dispatcher?.localTransport;
    add(await openHosted(foundation, { inference, slots: management?.slots, transport, ...readers }));
  }
  if (vectors) {
    assistants = await openAssistants(foundation, {
      chatbot: asked('chatbot'),
      readers: asked('index') ? readers : undefined,
      vectors,
      inference: inferenceClient(foundation, dispatcher?.localTransport, closers),
      slots: management?.slots,
      dispatcher,
    });
    for (const part of assistants.parts) add(part);
  }
  if (asked('console')) add((await import('./console/part.ts')).openConsole());
  // Last, when the parts have started their pods.
  if (launcher) parts.push({ start: () => launcher.sweepLogs() });
  return { parts, dispatcher, management };
}

async function openLauncher(
  foundation: Foundation<Config>,
  dispatcherHere: boolean,
  closers: Closers,
): Promise<ProcessLauncher> {
  const { openLauncher: open } = await import('./launchers/part.ts');
  const launcher = open(foundation, { dispatcherHere });
  closers.add(() => launcher.close());
  return launcher;
}

/** Inference for processes without a dispatcher. It connects on first use. */
function remoteInference(
  { config, ownKey, database, metering }: Foundation<Config>,
  closers: Closers,
): InferenceFront {
  const { url } = config.dispatcher;
  const transport = httpTransport(url);
  const front = remoteFront({
    url,
    sender: { transport, ownKey },
    bodyLimit: config.http.body_limit,
    aliases: resolveAliases(config.dispatcher.aliases),
    // A SQLite database belongs to one process: the dispatcher can't know the keys in it.
    local: database.dialect === 'sqlite' ? metering : undefined,
  });
  closers.add(async () => {
    front.close();
    await transport.close();
  });
  return front;
}

/** The models, for parts that call them: in this process, or over HTTP. */
function inferenceClient(
  { config, ownKey }: Foundation<Config>,
  local: InferenceTransport | undefined,
  closers: Closers,
): Inference {
  if (local) return createInference({ transport: local, ownKey });
  const transport = httpTransport(config.dispatcher.url);
  closers.add(() => transport.close());
  return createInference({ transport, ownKey });
}
