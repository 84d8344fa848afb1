// `node bench/layout/corpus/generate.ts [seed]`: writes the documents and their truth, and prints the folder.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../../test/testkit/machine/browser.ts';
import { cacheFolder } from '../../../test/testkit/machine/cache-folder.ts';
import type { PlannedDocument, TrueDocument } from './block.ts';
import { planDocuments, planLongDocument } from './plans.ts';
import { printScan, type ScanLook, scanLooks } from './scans.ts';
import { type Pagination, truthOf } from './truth.ts';

export interface Corpus {
  folder: string;
  documents: TrueDocument[];
  /** 100 pages of text. */
  long: { path: string; pages: number };
}

/** The corpus of a seed, from the cache if neither the seed nor the generator has changed. */
export async function openCorpus(seed = '1'): Promise<Corpus> {
  const folder = join(cacheFolder('bench-layout'), `${seed}-${generatorHash()}`);
  if (!existsSync(folder)) await generate(seed, folder);
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== 'long.json')
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as TrueDocument);
  const { pages } = JSON.parse(readFileSync(join(folder, 'long.json'), 'utf8')) as TrueDocument;
  return { folder, documents, long: { path: join(folder, 'long.pdf'), pages } };
}

async function generate(seed: string, folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const browser = await openBrowser();
  try {
    for (const plan of planDocuments(seed)) {
      const look = scanLooks.get(plan.name);
      await writeDocument(browser, plan, { folder: unfinished, seed, ...(look && { look }) });
    }
    await writeDocument(browser, planLongDocument(seed), { folder: unfinished, seed, mostPages: 100 });
    renameSync(unfinished, folder);
  } finally {
    await browser.close();
    rmSync(unfinished, { recursive: true, force: true });
  }
}

interface Writing {
  folder: string;
  seed: string;
  look?: ScanLook;
  mostPages?: number;
}

async function writeDocument(browser: Browser, plan: PlannedDocument, writing: Writing): Promise<void> {
  const { folder, seed, look, mostPages } = writing;
  // 200 dots per inch, for the pictures of pages.
  const context = await browser.newContext({
    viewport: { width: 794, height: 1123 },
    deviceScaleFactor: 200 / 96,
  });
  const page = await context.newPage();
  try {
    const pagination = await layOut(page, plan);
    const pages = Math.min(pagination.pages, mostPages ?? Number.POSITIVE_INFINITY);
    const truth = {
      name: plan.name,
      language: plan.language,
      scanned: false,
      pages,
      elements: truthOf(plan, pagination),
    };
    const range = mostPages ? { pageRanges: `1-${mostPages}` } : {};
    const save = (name: string, pdf: Uint8Array, document: TrueDocument) => {
      writeFileSync(join(folder, `${name}.pdf`), pdf);
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...document, name }, null, 1));
    };
    save(plan.name, await page.pdf({ preferCSSPageSize: true, printBackground: true, ...range }), truth);
    if (!look) return;
    const name = `${plan.name}-scan`;
    save(name, await printScan(page, { ...look, seed: `${seed} ${name}` }), { ...truth, scanned: true });
  } finally {
    await context.close();
  }
}

async function layOut(page: Page, plan: PlannedDocument): Promise<Pagination> {
  await page.setContent(
    `<!doctype html><html lang="${plan.language.slice(0, 2)}"><meta charset="utf-8"></html>`,
  );
  await page.addScriptTag({ path: join(import.meta.dirname, 'paginate.js') });
  return page.evaluate(`layOut(${JSON.stringify(plan)})`);
}

function generatorHash(): string {
  const hash = createHash('sha256');
  const files = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile()).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    hash.update(readFileSync(join(file.parentPath, file.name)));
  return hash.digest('hex').slice(0, 12);
}

if (import.meta.main) {
  const { folder, documents } = await openCorpus(process.argv[2]);
  const scans = documents.filter((document) => document.scanned).length;
  console.log(`${documents.length - scans} digital documents and ${scans} scans in ${folder}`);
}
