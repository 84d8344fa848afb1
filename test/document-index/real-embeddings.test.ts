import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  languageNotes,
  openLanguageProbe,
} from '../../src/document-index/ingestion/embedding/language-probe.ts';
import { ingestionFields } from '../../src/document-index/ingestion/ingestion-settings.ts';
import { openIngestion } from '../../src/document-index/ingestion/open-ingestion.ts';
import { createInference, type Inference } from '../../src/platform/inference/inference.ts';
import type { EmbeddingEngine } from '../../src/pod/engine.ts';
import { startOnnxEmbeddings } from '../../src/pod/engines/onnx/embedding-engine.ts';
import { type IngestionSite, openIngestionSite } from '../testkit/document-index/ingestion.ts';
import { miniLmFolder } from '../testkit/models/minilm.ts';
import { inputsOf } from '../testkit/pods/embedding-pod.ts';
import { answerJson, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { requirement } from '../testkit/requirement.ts';

const weights = await requirement('all-MiniLM-L6-v2', async () => (await miniLmFolder()) !== '');

describe.skipIf(!weights.available)('all-MiniLM-L6-v2, which was trained on English', () => {
  let [engine, pod, site, inference] = [] as unknown as [EmbeddingEngine, MockPod, IngestionSite, Inference];
  beforeAll(async () => {
    site = await openIngestionSite();
    inference = createInference({ transport: site.dispatcher.localTransport, ownKey: undefined });
    engine = await startOnnxEmbeddings({ model: await miniLmFolder(), threads: 1 });
    pod = await startMockPod(async (request, response) => {
      const never = new AbortController().signal;
      const { vectors } = await engine.embed(inputsOf(request), { truncate: true }, never);
      const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
      answerJson({ data })(request, response);
    });
    const model_name = 'all-minilm-l6-v2';
    await site.dispatcher.report({ pod_id: 'e', task: 'embeddings', model_name, pod_address: pod.url });
  });
  afterAll(async () => {
    await pod?.kill();
    await engine?.close();
    await site?.close();
  });

  it('finds the chapter that answers, by its meaning, and says what the bot is about', async () => {
    const text =
      '# Handbook\n\n## Vacation\n\nStaff may stay away from work for 28 days in a year.\n\n## Parking\n\nVehicles are left behind the warehouse.';
    const document = await site.addFile('minilm', 'handbook.md', text);
    const { ingestion, models, introduce } = openIngestion({
      ...site.deps,
      inference,
      slots: undefined,
      chatModel: async () => null,
      settings: { ...z.object(ingestionFields).parse({}), chunk_characters: 80 },
    });
    const signal = AbortSignal.timeout(60_000);
    const model = await models.current(signal);
    expect(model).toEqual({ name: 'all-minilm-l6-v2', dimensions: 384 });
    expect([await models.isServed('all-minilm-l6-v2'), await models.isServed('constructor')]).toEqual([
      true,
      false,
    ]);
    const onProgress = () => undefined;
    await ingestion.ingest({ document, collection: 'minilm', model, signal, onProgress });
    await introduce('minilm', signal);
    const bot = await site.database.query
      .selectFrom('bots')
      .selectAll()
      .where('id', '=', 'minilm')
      .executeTakeFirstOrThrow();
    expect(bot).toMatchObject({
      hello_text: '<p>Hello! I answer questions about these documents: “Handbook”.</p>',
      embeddings_model: 'all-minilm-l6-v2',
      notes_json: '[]',
    });
    expect(JSON.parse(bot.example_questions_json)).toContain('What does the section “Parking” say?');
    const [question] = (await engine.embed(['Where do I put my car?'], {}, new AbortController().signal))
      .vectors;
    const query = { vector: question, terms: new Uint32Array(), limit: 1 };
    const [hit] = await site.vectors.search('minilm', query);
    const { text: best } = await site.database.query
      .selectFrom('bot_chunks')
      .select('text')
      .where('id', '=', hit?.id ?? 0)
      .executeTakeFirstOrThrow();
    expect(best).toContain('warehouse');
  });

  it('is known to know English, and not to know Russian', async () => {
    const probe = openLanguageProbe({ inference });
    const known = await probe.knownLanguages('all-minilm-l6-v2');
    expect(known.get('eng')).toBeGreaterThanOrEqual(0.9);
    expect(known.get('rus')).toBeLessThan(0.5);
    expect(await probe.limitedTo('all-minilm-l6-v2')).toEqual(['eng']);
    expect(await probe.limitedTo('gone')).toBeNull();
    const asked = pod.requests.length;
    expect(await probe.knownLanguages('all-minilm-l6-v2')).toBe(known);
    expect(pod.requests.length).toBe(asked);
    expect(languageNotes('all-minilm-l6-v2', known, ['eng', 'rus', 'deu'])).toEqual([
      "the embeddings model 'all-minilm-l6-v2' does not know Russian: Russian text is found by words alone until a multilingual model is deployed",
    ]);
    await expect(probe.knownLanguages('constructor')).rejects.toThrow();
  });
});
