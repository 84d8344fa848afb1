// node bench/layout/run.ts [--quick] [--only accuracy,speed] [--peer] [--seed 1] [--reader module]
// Reads a corpus with known truth and compares; --peer adds Python's unstructured, which is installed at first use.
// --reader names a module with another `openReader()`, to measure it the same way.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { print, type Verdict } from '../dispatcher/verdicts.ts';
import { accuracyVerdicts, readCorpus } from './accuracy.ts';
import { openCorpus } from './corpus/generate.ts';
import { openOurs } from './readers/ours.ts';
import type { Absent, Reader } from './readers/reader.ts';
import { openUnstructured } from './readers/unstructured.ts';
import { speed } from './speed.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'accuracy,speed' },
    peer: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    reader: { type: 'string' },
  },
});
const parts = new Map<string, () => Promise<Verdict[]>>([
  ['accuracy', accuracy],
  ['speed', () => speed({ open, peer, corpus, rounds: values.quick ? 1 : 3 })],
]);
const chosen = values.only.split(',').map((name) => {
  const part = parts.get(name);
  if (!part) throw new Error(`unknown part "${name}": choose from ${[...parts.keys()].join(', ')}`);
  return part;
});

const whole = await openCorpus(values.seed);
const corpus = values.quick ? { ...whole, documents: sample(whole.documents) } : whole;
const peer = values.peer ? present(await openUnstructured()) : undefined;
if (values.peer) console.log('absent: docling (its models are downloaded from a hub at first use)');
const verdicts: Verdict[] = [];
try {
  for (const part of chosen) verdicts.push(...(await part()));
} finally {
  await peer?.close();
}
console.log('');
print(verdicts);
process.exitCode = verdicts.some(({ met }) => met === false) ? 1 : 0;

/** Digital documents are read by their text, and again with the models; scans in the only way that reads them. */
async function accuracy(): Promise<Verdict[]> {
  const digital = { ...corpus, documents: corpus.documents.filter((document) => !document.scanned) };
  const peers = peer
    ? [
        {
          name: peer.name,
          results: await readCorpus(peer, corpus, ({ scanned }) => (scanned ? 'ocr_only' : 'fast')),
        },
      ]
    : [];
  const reader = await open();
  try {
    const fast = await readCorpus(reader, digital, () => 'fast');
    const seen = await readCorpus(reader, corpus, () => 'hi_res');
    return [...accuracyVerdicts(fast, peers, 'fast'), ...accuracyVerdicts(seen, peers, 'hi_res')];
  } finally {
    await reader.close();
  }
}

async function open(): Promise<Reader> {
  const reader = values.reader
    ? await (await import(pathToFileURL(resolve(values.reader)).href)).openReader()
    : await openOurs();
  if ('absent' in reader) throw new Error(`${reader.name} can't be measured: ${reader.absent}`);
  return reader;
}

function present<Kind extends Reader>(reader: Kind | Absent): Kind | undefined {
  if (!('absent' in reader)) return reader;
  console.log(`absent: ${reader.name} (${reader.absent})`);
  return undefined;
}

/** Every third document, in both languages. */
function sample<Item>(documents: Item[]): Item[] {
  return documents.filter((_, at) => at % 3 === 0);
}
