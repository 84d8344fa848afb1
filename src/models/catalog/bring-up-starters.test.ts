import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Origins } from '../packages/package-origins.ts';
import { bringUpStarters, type StarterEvent } from './bring-up-starters.ts';
import { type CatalogModel, readCatalog } from './catalog.ts';
import { ModelStore } from './model-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starters-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The starters with a small file in place of their weights, so that nothing is downloaded. */
const catalog = readCatalog()
  .filter((model) => model.starter)
  .map((model) => ({ ...model, files: [{ path: 'config.json', content: {} }] }));

async function eventsOf(serve: (model: CatalogModel) => Promise<void>): Promise<string[]> {
  const events: string[] = [];
  const onEvent = (event: StarterEvent) => {
    if (event.kind !== 'progress') events.push(`${event.kind} ${event.model.task}`);
  };
  const deployments = { wants: async () => true, serve };
  const deps = { catalog, store: new ModelStore(folder), origins: {} as Origins, deployments };
  await bringUpStarters(deps, onEvent, new AbortController().signal);
  return events;
}

test('the chat model is ready before the start of the next one competes with it', async () => {
  expect(await eventsOf(() => sleep(50))).toEqual([
    'starting llm',
    'ready llm',
    'starting embeddings',
    'ready embeddings',
  ]);
});

test('a model that fails does not keep the next one from starting', async () => {
  const serve = async ({ task }: CatalogModel) => {
    if (task === 'llm') throw new Error('too little memory');
  };
  expect(await eventsOf(serve)).toEqual([
    'starting llm',
    'failed llm',
    'starting embeddings',
    'ready embeddings',
  ]);
});
