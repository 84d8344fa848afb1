import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DocumentElement } from '../../../src/documents/element.ts';
import type { Absent, Reader } from './reader.ts';

/** The part of src/documents/read-document.ts that is measured. */
interface Documents {
  read(
    file: { path: string; name: string },
    options: { strategy: string; languages: string[]; models?: Record<string, string> },
  ): AsyncIterable<DocumentElement>;
  close(): Promise<void>;
}

const source = (path: string) => new URL(`../../../${path}`, import.meta.url);
const name = 'roundhouse';

/** Our library through its front door, with worker processes and layout models. */
export async function openOurs(): Promise<Reader | Absent> {
  if (!existsSync(source('src/documents/read-document.ts')))
    return { name, absent: 'src/documents/read-document.ts does not exist' };
  const { openDocuments } = await import(source('src/documents/read-document.ts').href);
  const { documentSettings } = await import(source('src/documents/settings.ts').href);
  const { layoutModels } = await import(source('test/testkit/layout-models.ts').href);
  const models: Record<string, string> = await layoutModels();
  const documents: Documents = openDocuments(documentSettings.documents.parse(undefined));
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
