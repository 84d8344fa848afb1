import { join } from 'node:path';
import { atLeast, atMost, median, type Verdict } from '../dispatcher/verdicts.ts';
import type { TrueDocument } from './corpus/block.ts';
import type { Corpus } from './corpus/generate.ts';
import { plainTesseract } from './readers/plain-tesseract.ts';
import type { Reader, Strategy } from './readers/reader.ts';
import type { Unstructured } from './readers/unstructured.ts';

interface SpeedInput {
  /** A reader whose processes have not read anything yet. */
  open(): Promise<Reader>;
  peer: Unstructured | undefined;
  corpus: Corpus;
  rounds: number;
}

export async function speed({ open, peer, corpus, rounds }: SpeedInput): Promise<Verdict[]> {
  console.log('speed of fast, then of hi_res and ocr_only, then of eight files at once');
  return [
    ...(await using(open, (reader) => fastSpeed(reader, peer, corpus, rounds))),
    ...(await using(open, (reader) => pictureSpeed(reader, corpus))),
    await using(open, (reader) => eightFiles(reader, corpus, rounds)),
  ];
}

/** A text of 100 pages, read by ours and the peer in turns. */
async function fastSpeed(
  reader: Reader,
  peer: Unstructured | undefined,
  { long }: Corpus,
  rounds: number,
): Promise<Verdict[]> {
  const ours: number[] = [];
  const ratios: number[] = [];
  // The first file starts the workers.
  await reader.read(long.path, 'fast', ['eng']);
  for (let round = 0; round < rounds; round += 1) {
    const pagesPerSecond = long.pages / (await seconds(() => reader.read(long.path, 'fast', ['eng'])));
    ours.push(pagesPerSecond);
    if (!peer) continue;
    await peer.read(long.path, 'fast', ['eng']);
    ratios.push((pagesPerSecond * peer.seconds()) / long.pages);
  }
  const name = peer?.name ?? 'unstructured';
  return [
    atLeast(`fast: pages/s, ${long.pages} pages of text`, median(ours), 60),
    atLeast(`fast: ratio to ${name} fast`, peer && median(ratios), 10),
    atMost('fast: peak memory of a worker, MB', reader.peakMemory?.() || undefined, 512),
  ];
}

async function pictureSpeed(reader: Reader, corpus: Corpus): Promise<Verdict[]> {
  const digital = corpus.documents.filter((document) => !document.scanned).slice(0, 10);
  const scans = corpus.documents.filter((document) => document.scanned).slice(0, 5);
  // The first file of each worker loads the models.
  await readAll(reader, corpus, digital.slice(0, 4), 'hi_res');
  const seen = await readAll(reader, corpus, digital, 'hi_res');
  const recognised = await readAll(reader, corpus, scans, 'ocr_only');
  const plain = await plainTesseract(
    scans.map(({ name, language }) => ({ path: join(corpus.folder, `${name}.pdf`), language })),
  );
  return [
    atLeast(`hi_res: pages/s, ${digital.length} digital documents`, seen, 1.5),
    atLeast(`ocr_only: pages/s, ${scans.length} scans`, recognised, 0.5),
    {
      what: 'ocr_only: ratio to Tesseract alone, whose text has no structure',
      value: recognised / plain,
      target: 'reported',
      met: true,
      note: `Tesseract: ${plain.toPrecision(3)} pages/s`,
    },
    {
      what: 'hi_res and ocr_only: peak memory of a worker, MB',
      value: reader.peakMemory?.() || undefined,
      target: 'reported',
      met: true,
    },
  ];
}

/** One page each, since the pages of a longer file are read in parallel anyway. */
async function eightFiles(reader: Reader, { documents, folder }: Corpus, rounds: number): Promise<Verdict> {
  const short = documents.filter((document) => !document.scanned && document.pages === 1);
  const files = Array.from({ length: 8 }, (_, at) => short[at % short.length] as TrueDocument);
  const read = ({ name, language }: TrueDocument) =>
    reader.read(join(folder, `${name}.pdf`), 'hi_res', [language]);
  await Promise.all(files.map(read));
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const together = await seconds(() => Promise.all(files.map(read)));
    const apart = await seconds(async () => {
      for (const file of files) await read(file);
    });
    ratios.push(apart / together);
  }
  return atLeast('hi_res: eight files at once, ratio to one after another', median(ratios), 1.6);
}

/** Pages per second. */
async function readAll(
  reader: Reader,
  { folder }: Corpus,
  documents: TrueDocument[],
  strategy: Strategy,
): Promise<number> {
  const pages = documents.reduce((sum, document) => sum + document.pages, 0);
  const read = ({ name, language }: TrueDocument) =>
    reader.read(join(folder, `${name}.pdf`), strategy, [language]);
  return pages / (await seconds(() => Promise.all(documents.map(read))));
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

async function using<Result>(
  open: () => Promise<Reader>,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const reader = await open();
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}
