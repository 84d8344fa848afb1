import { createHash, randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandStatus, CommandType } from '../../../src/contracts/document-index/commands.ts';
import type { DocumentStatus } from '../../../src/contracts/document-index/documents.ts';
import type { Question } from '../../../src/contracts/document-index/questions.ts';
import { searchRoutes } from '../../../src/document-index/evaluation/search-routes.ts';
import type { KeyHolder } from '../../../src/platform/http/access.ts';
import { buildApp } from '../../../src/platform/http/build-app.ts';
import type { Service } from '../../../src/platform/http/service.ts';
import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import { type ScriptedBots, type ScriptedTexts, scriptedBots } from './scripted-bots.ts';

interface Command extends CommandStatus {
  /** Steps that are left; one passes with each look at the command. */
  left: number;
  files: Map<string, string>;
}

export interface IndexServer extends ScriptedBots {
  url: string;
  /** Bytes of every document, by bot. */
  texts: ScriptedTexts;
  /** The fields of the forms that were sent. */
  forms: Record<string, unknown>[];
  stories: Map<string, string>;
  /** Looks until a command ends. */
  steps: number;
  close(): Promise<void>;
}

/**
 * Behaves like the index API and the chatbot towards their clients: commands with slow progress, documents whose name
 * has `broken` in it fail, and answers quote the documents.
 */
export async function startIndexServer(key: string): Promise<IndexServer> {
  const texts: ScriptedTexts = {};
  const scripted = scriptedBots(texts);
  const commands = new Map<string, Command>();
  const failures = new Map<string, Map<string, string>>();
  const server: IndexServer = Object.assign(scripted, {
    url: '',
    texts,
    forms: [] as Record<string, unknown>[],
    stories: new Map<string, string>(),
    steps: 3,
    close: async () => {},
  });
  const start = (type: CommandType, files: Map<string, string>) => {
    const id = randomUUID();
    const at = new Date().toISOString();
    const times = { created_at: at, started_at: null, finished_at: null };
    commands.set(id, {
      status: 'pending',
      type,
      ...times,
      error: null,
      result: null,
      left: server.steps,
      files,
    });
    return id;
  };
  const record = (bot: string) => ({
    name: bot,
    hello_text: '',
    retrive_n: 30,
    support_n: 6,
    example_questions: ['How many litres?'],
    user_story: server.stories.get(bot) ?? '',
    bot_creator_credentials: 'test',
    files: Object.keys(texts[bot] ?? {}),
  });
  const missing = (reply: FastifyReply, what = 'bot') =>
    reply.code(404).send({ error: `${what} was not found` });
  const read = async (request: FastifyRequest) => {
    const files = new Map<string, string>();
    const form: Record<string, unknown> = {};
    for await (const part of request.parts()) {
      if (part.type === 'file') files.set(part.filename, (await part.toBuffer()).toString());
      else form[part.fieldname] = [form[part.fieldname] ?? [], part.value].flat();
    }
    server.forms.push({ ...form, files: [...files.keys()] });
    return { files, form };
  };
  const advance = (bot: string, command: Command) => {
    if (command.status !== 'pending' && command.status !== 'processing') return;
    command.left--;
    const total = command.files.size;
    const complete = Math.min(total, Math.floor((total * (server.steps - command.left)) / server.steps));
    if (command.left > 0) {
      command.status = 'processing';
      command.progress = { documents: { total, complete }, current_document: { total: 10, complete: 5 } };
      return;
    }
    delete command.progress;
    if (command.type === 'delete_bot') {
      delete texts[bot];
      command.status = 'complete';
      const deleted = { chunks: 4, vectors: 4, full_text_entries: 4, files: 1 };
      command.result = { added: [], skipped: [], failed: [], deleted };
      return;
    }
    const kept = command.type === 'create_bot' ? {} : (texts[bot] ?? {});
    const [added, failed]: [string[], { name: string; error: string }[]] = [[], []];
    for (const [name, text] of command.files) {
      if (name.includes('broken')) failed.push({ name, error: 'the file is encrypted' });
      else {
        kept[name] = text;
        added.push(name);
      }
    }
    texts[bot] = kept;
    failures.set(bot, new Map(failed.map(({ name, error }) => [name, error])));
    command.status = added.length > 0 || failed.length === 0 ? 'complete' : 'error';
    command.error = command.status === 'error' ? 'no document could be indexed' : null;
    command.result = { added, skipped: [], failed };
  };
  const service: Service = {
    name: 'index',
    title: 'Index',
    description: '',
    surfaces: [
      { prefix: '/indexapi', shape: 'index' },
      { prefix: '/v.1.0', shape: 'index' },
    ],
    access: { scope: 'index', openable: false },
    async routes(app) {
      await app.register(multipart, { limits: { fileSize: 2 ** 30 } });
      searchRoutes({ search: scripted.bots.search })(app);
      app.get('/indexapi/bots', async () =>
        Object.fromEntries(Object.keys(texts).map((bot) => [bot, record(bot)])),
      );
      type Path = { Params: { bot: string; id: string } };
      app.get<Path>('/indexapi/bot/:bot', async ({ params: { bot } }, reply) =>
        Object.hasOwn(texts, bot) ? record(bot) : missing(reply),
      );
      app.patch<Path & { Body: { user_story: string } }>(
        '/indexapi/bot/:bot',
        async ({ params: { bot }, body }) => {
          server.stories.set(bot, body.user_story);
          return record(bot);
        },
      );
      app.put<Path>('/indexapi/bot/:bot', async (request, reply) => {
        const { files, form } = await read(request);
        const { bot } = request.params;
        if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(bot))
          return reply.code(422).send({ error: 'bot_id: is not valid' });
        server.stories.set(bot, String(form.user_story ?? ''));
        return reply.code(202).send({ command_id: start('create_bot', files) });
      });
      app.put<Path>('/indexapi/bot/:bot/urls', async (request, reply) => {
        const { form } = await read(request);
        const urls = [form.urls].flat().map((text) => JSON.parse(String(text)) as { url: string });
        const files = new Map(
          urls.map(({ url }) => [url.split('/').at(-1) ?? '', 'The link holds 7 litres.']),
        );
        return reply.code(202).send({ command_id: start('create_bot', files) });
      });
      for (const path of ['document', 'document_by_url']) {
        app.put<Path>(`/indexapi/bot/:bot/${path}`, async (request, reply) => {
          const { files, form } = await read(request);
          if (!Object.hasOwn(texts, request.params.bot)) return missing(reply);
          if (files.has('broken.pdf')) return reply.code(409).send({ error: 'the document is busy' });
          if (form.url)
            files.set(
              String((JSON.parse(String(form.url)) as { url: string }).url.split('/').at(-1)),
              'Linked.',
            );
          return reply.code(202).send({ command_id: start('add_document', files) });
        });
      }
      app.delete<Path>('/indexapi/bot/:bot', async ({ params: { bot } }, reply) =>
        Object.hasOwn(texts, bot)
          ? reply.code(202).send({ command_id: start('delete_bot', new Map()) })
          : missing(reply),
      );
      app.get<Path>('/indexapi/bot/:bot/commands', async () =>
        Object.fromEntries(Array.from(commands, ([id, { left: _, files: __, ...shown }]) => [id, shown])),
      );
      app.get<Path>('/indexapi/bot/:bot/command/:id', async ({ params: { bot, id } }, reply) => {
        const command = commands.get(id);
        if (!command) return missing(reply, 'command');
        advance(bot, command);
        const { left: _, files: __, ...shown } = command;
        return shown;
      });
      app.delete<Path>('/indexapi/bot/:bot/command/:id', async ({ params: { id } }, reply) => {
        const command = commands.get(id);
        if (!command) return missing(reply, 'command');
        command.status = 'canceled';
        const { left: _, files: __, ...shown } = command;
        return shown;
      });
      app.get<Path>('/indexapi/bot/:bot/documents', async ({ params: { bot } }, reply) => {
        const documents = Object.entries(texts[bot] ?? {}).map(
          ([name, text]): DocumentStatus => ({
            name,
            url: null,
            status: 'complete',
            pages: 1,
            chunks: 2,
            bytes: Buffer.byteLength(text),
            sha256: createHash('sha256').update(text).digest('hex'),
            indexed_at: null,
            error: null,
          }),
        );
        return documents.length > 0 ? documents : missing(reply, 'document');
      });
      app.post<Path & { Body: Question }>('/v.1.0/:bot', async (request, reply) => {
        const { question, history, stream } = request.body;
        const input = { question, history: history ?? [] };
        const signal = new AbortController().signal;
        const events = scripted.answering.answer(request.params.bot, input, { signal });
        let sent = '';
        for await (const event of events) {
          const { type, ...data } = event;
          if (event.type === 'answer' && !stream) return event.answer;
          sent += `event: ${type}\ndata: ${JSON.stringify(event.type === 'answer' ? event.answer : data)}\n\n`;
        }
        return reply.type('text/event-stream').send(`${sent}event: done\ndata: {}\n\n`);
      });
    },
  };
  const holder: KeyHolder = {
    kind: 'key',
    id: 'k',
    name: 'test',
    owner: null,
    scopes: ['index'],
    limits: {},
  };
  const { app, drain } = await buildApp({
    services: [service],
    logger: silentLogger(),
    metrics: createMetrics({ version: '0.0.0', processMetrics: false }),
    access: { authenticate: (presented) => (presented === key ? holder : undefined), open: false },
    programVersion: '0.0.0',
    http: { body_limit: 2 ** 20, cors_origins: [] },
  });
  server.url = await app.listen({ host: '127.0.0.1', port: 0 });
  server.close = () => drain.close(0);
  return server;
}
