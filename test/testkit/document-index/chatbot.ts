import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Bots } from '../../../src/chatbot/bots.ts';
import { openChatbot } from '../../../src/chatbot/part.ts';
import { platformActor } from '../../../src/contracts/actor.ts';
import type { ApiKeyRequest, Scope } from '../../../src/contracts/api-keys.ts';
import { systemClock } from '../../../src/contracts/clock.ts';
import { NotFound } from '../../../src/contracts/problems.ts';
import type { Passage } from '../../../src/contracts/retrieval.ts';
import { openKeyRing } from '../../../src/platform/auth/key-ring.ts';
import { createKey } from '../../../src/platform/auth/keys/create-key.ts';
import { openBlobs } from '../../../src/platform/blobs/open-blobs.ts';
import { buildApp } from '../../../src/platform/http/build-app.ts';
import { openMetering } from '../../../src/platform/metering/open-metering.ts';
import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import type { ConfigInput } from '../../../src/settings.ts';
import { configWith } from '../config.ts';
import { startInference } from '../inference.ts';
import { openDatabase } from '../stores/open-database.ts';

type ChatbotSettings = NonNullable<z.input<typeof ConfigInput>['chatbot']>;

/** The chatbot on a real server, with a real dispatcher that has no pods yet, and bots that are given. */
export async function startChatbot(bots: Bots, settings: ChatbotSettings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-chatbot-'));
  const config = configWith({ data_dir: folder, auth: { open: false }, chatbot: settings }, folder);
  const logger = silentLogger();
  const database = await openDatabase({ url: `sqlite:${join(folder, 'roundhouse.db')}` });
  const clock = systemClock;
  const ring = await openKeyRing({ database, clock, logger });
  const metering = await openMetering({ database, clock, logger });
  const blobs = await openBlobs(config.blobs);
  const access = { authenticate: ring.authenticate, open: false };
  const { inference, dispatcher, close } = await startInference('in process');
  const part = openChatbot(
    { config, database, clock, logger, blobs, metering, access, ownKey: 'rh-own' },
    { bots, inference },
  );
  const { app, drain } = await buildApp({
    services: [...(part.services ?? [])],
    logger,
    metrics: createMetrics({ version: '0.0.0', processMetrics: false }),
    access,
    programVersion: '0.0.0',
    http: config.http,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const key = async (scopes: Scope[], limits: ApiKeyRequest['limits'] = {}) =>
    (await createKey({ database, clock, ring }, platformActor('test'), { name: 'test', scopes, limits })).key;
  return {
    url,
    app,
    part,
    folder,
    database,
    metering,
    dispatcher,
    inference,
    key,
    async close() {
      await drain.close(0);
      await close();
      await metering.close();
      await ring.close();
      await database.close();
      await blobs.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface GivenDocument {
  name: string;
  title?: string;
  language?: string;
  /** Paragraphs, each a segment; a form feed begins a new page. */
  text: string;
  headings?: string[];
  /** Where it differs from the text: a table. */
  markdown?: string;
}

/** Bots over given texts: a paragraph is a segment, a document is one passage. */
export function scriptedBots(documents: GivenDocument[], options: { language?: string } = {}) {
  const state = {
    answerable: true,
    ready: true,
    problem: null as string | null,
    questions: [] as string[],
    documents,
  };
  const passages = (): Passage[] =>
    state.documents.map((document, index) => passageOf('hr', document, index));
  const known = (bot: string) => {
    if (bot !== 'hr') throw new NotFound('bot', bot);
  };
  const bots: Bots = {
    async get(bot) {
      known(bot);
      return {
        name: bot,
        hello_text: '<p>Hello, I know the <b>leave policy</b>.</p><script>alert(1)</script>',
        retrive_n: 30,
        support_n: 6,
        example_questions: ['How many days of leave do I get?', 'Сколько дней отпуска мне положено?'],
        user_story: 'Employees ask about leave.',
        bot_creator_credentials: 'test',
        files: [],
        ready: state.ready,
        status: state.ready ? 'ready' : state.problem === null ? 'creating' : 'failed',
        problem: state.problem,
        languages: ['eng'],
      };
    },
    async list() {
      return [await bots.get('hr')];
    },
    async search(bot, { question }) {
      known(bot);
      state.questions.push(question);
      const language = options.language ?? (/\p{Script=Cyrillic}/u.test(question) ? 'rus' : 'eng');
      return {
        passages: passages(),
        confidence: state.answerable ? 0.9 : 0.1,
        answerable: state.answerable,
        language,
      };
    },
    documents: async () => passages().map(({ document }) => document),
    async openDocument(bot, name) {
      known(bot);
      const found = state.documents.find((document) => document.name === name);
      if (!found) throw new NotFound('document', name);
      const content = Buffer.from(found.text);
      return {
        type: 'application/pdf',
        size: content.length,
        modifiedAt: new Date(1_700_000_000_000),
        read: async (range) =>
          (async function* () {
            yield content.subarray(range?.start ?? 0, (range?.end ?? content.length - 1) + 1);
          })(),
      };
    },
  };
  return { bots, state, passages };
}

function passageOf(
  bot: string,
  { name, title = name, text, headings = [], ...rest }: GivenDocument,
  index: number,
) {
  const segments: Passage['segments'] = [];
  let page = 1;
  for (const { 0: paragraph, index: start } of text.matchAll(/[^\n\f]+|\f/g)) {
    if (paragraph === '\f') page++;
    else {
      const box = { page, left: 72, top: 100, right: 500, bottom: 120 };
      segments.push({ start, end: start + paragraph.length, page, boxes: [box] });
    }
  }
  return {
    id: index + 1,
    document: {
      name,
      title,
      uri: `/documents/${bot}/${encodeURIComponent(name)}`,
      type: name.endsWith('.pdf') ? 'application/pdf' : 'text/plain',
      pages: page,
      pageAnchors: name.endsWith('.pdf'),
    },
    text,
    markdown: rest.markdown ?? text,
    headings,
    page: 1,
    segments,
    language: rest.language ?? 'eng',
    score: 1 - index / 10,
  };
}
