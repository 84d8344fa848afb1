import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DocumentElement } from '../../../src/documents/element.ts';
import { openDocuments } from '../../../src/documents/read-document.ts';
import { documentSettings } from '../../../src/documents/settings.ts';
import { layoutModels } from '../../../test/testkit/models/layout-models.ts';
import type { Reader } from './reader.ts';

const name = 'roundhouse';

/** Our library through its front door, with worker processes and layout models. */
export async function openOurs(): Promise<Reader> {
  const models = await layoutModels();
  const documents = openDocuments(documentSettings.documents.parse(undefined));
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, ...workers().map(peakOf));
  }, 50);
  watch.unref();
  return {
    name,
    ours: true,
    async read(path, strategy, languages) {
      const elements: DocumentElement[] = [];
      const file = { path, name: basename(path) };
      for await (const element of documents.read(file, { strategy, languages, models }))
        elements.push(element);
      peak = Math.max(peak, ...workers().map(peakOf));
      return elements;
    },
    peakMemory: () => peak,
    async close() {
      clearInterval(watch);
      await documents.close();
    },
  };
}

/** Children of this process that run Node. */
function workers(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/task')
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).trim().split(' '))
    .filter((pid) => pid !== '' && read(`/proc/${pid}/cmdline`).split('\0')[0] === process.execPath);
}

/** Largest resident memory of a process so far, in MB. */
const peakOf = (pid: string) => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
