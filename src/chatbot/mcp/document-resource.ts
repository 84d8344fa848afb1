import { NotFound } from '../../contracts/problems.ts';
import { mayReadBot } from '../admission/bot-readers.ts';
import type { ToolCall, ToolDependencies } from './tool-dependencies.ts';
import { requireReadable } from './use-bot.ts';

export const documentTemplate = 'roundhouse://bots/{bot}/documents/{name}';

/** Clients hold a resource in memory, and many put it into a prompt. */
const largest = 8 * 2 ** 20;
const mostListed = 1000;

export const documentAddress = (bot: string, name: string) =>
  `roundhouse://bots/${encodeURIComponent(bot)}/documents/${encodeURIComponent(name)}`;

/** The documents of all bots that the caller may use. */
export async function listDocumentResources({ bots, publicBots }: ToolDependencies, { caller }: ToolCall) {
  const readable = (await bots.list()).filter(({ name }) => mayReadBot(publicBots, caller, name));
  const found = [];
  for (const { name: bot } of readable) {
    for (const { name, title, type } of await bots.documents(bot)) {
      if (found.length === mostListed) return found;
      found.push({
        uri: documentAddress(bot, name),
        name,
        title,
        mimeType: type,
        description: `Document of the bot ${bot}`,
      });
    }
  }
  return found;
}

/** The original file: as text where it is text, else as base64, or a link to it if it is too large. */
export async function readDocumentResource(
  { bots, publicBots }: ToolDependencies,
  call: ToolCall,
  { bot, name }: { bot: string; name: string },
) {
  requireReadable({ publicBots }, call, bot);
  const uri = documentAddress(bot, name);
  const described = (await bots.documents(bot)).find((document) => document.name === name);
  if (!described) throw new NotFound('document', name.slice(0, 200));
  const file = await bots.openDocument(bot, name);
  const mimeType = file.type;
  if (file.size > largest) {
    const text = `This document has ${file.size} bytes, which is too much for a resource. Open it at ${described.uri}.`;
    return { uri, mimeType: 'text/plain', text };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.read()) {
    call.signal.throwIfAborted();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (isText(mimeType)) return { uri, mimeType, text: bytes.toString('utf8') };
  return { uri, mimeType, blob: bytes.toString('base64') };
}

const isText = (type: string) =>
  /^text\/|^application\/(json|xml|yaml|x-yaml|x-ndjson)\b|\+(json|xml)\b/.test(type);
