import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { ChunkingOptions } from '../../documents/chunking/chunking-options.ts';
import { openDocuments, type ReadOptions } from '../../documents/read-document.ts';
import { countOf } from '../../platform/count-of.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { print } from '../terminal/print.ts';
import { redraw } from '../terminal/progress-line.ts';
import { extensions, type Format, formatFile, joinFiles } from './format-file.ts';
import { inOrder } from './in-order.ts';
import { printable } from './inline-text.ts';
import { type FailedFile, type ReadFile, readFile } from './read-file.ts';
import { drawFile, openFolder, uniqueNames, writeText } from './write-files.ts';

export interface LayoutRun {
  settings: Parameters<typeof openDocuments>[0];
  files: string[];
  format: Format;
  reading: ReadOptions;
  chunking?: ChunkingOptions;
  coordinates: boolean;
  output?: string;
  draw?: string;
}

/** Reads files on this machine and prints or writes what is in them. Returns whether all of them could be read. */
export async function runLayout(run: LayoutRun): Promise<boolean> {
  const { files, output, draw, format } = run;
  for (const folder of [output, draw]) if (folder !== undefined) await openFolder(folder);
  const stopped = new AbortController();
  const release = onInterrupt(() => stopped.abort());
  const { signal } = stopped;
  const documents = openDocuments(run.settings);
  const progress = progressOf(files.length);
  const names = uniqueNames(files.map((file) => basename(file)));
  const read = (path: string) =>
    readFile(
      { documents, options: { ...run.reading, owner: run }, signal, onElement: progress.element },
      path,
    );
  const texts: (string | undefined)[] = [];
  let failed = false;
  try {
    for await (const file of inOrder(files, run.settings.workers ?? availableParallelism(), read)) {
      const name = names[texts.length] ?? '';
      progress.file();
      if (isFailed(file)) {
        failed = true;
        say(`roundhouse: ${file.path}: ${file.failure}`);
        texts.push(undefined);
        continue;
      }
      note(file, run);
      const text = formatFile(file, run);
      if (output !== undefined) {
        const whole = joinFiles([text], [file.name], format);
        say(`${file.path}: ${await writeText(output, `${name}.${extensions[format]}`, `${whole}\n`)}`);
      }
      if (draw !== undefined) {
        sayDrawn(file.path, draw, await drawFile({ documents, folder: draw, signal }, name, file));
      }
      texts.push(output === undefined ? text : '');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    process.exitCode = 130;
    return true;
  } finally {
    release();
    await documents.close();
  }
  if (output === undefined && texts.some((text) => text !== undefined)) {
    print(
      joinFiles(
        texts,
        files.map((file) => basename(file)),
        format,
      ),
    );
  }
  return !failed;
}

const isFailed = (file: ReadFile | FailedFile): file is FailedFile => 'failure' in file;

const say = (text: string) => process.stderr.write(`${printable(text)}\n`);

const sayDrawn = (path: string, folder: string, pages: number) =>
  say(
    pages === 0
      ? `${path}: nothing to draw: this format has no positions on pages`
      : `${path}: ${countOf(pages, 'page')} drawn in ${folder}`,
  );

function note({ path, elements, summary }: ReadFile, { reading }: LayoutRun): void {
  for (const text of new Set(summary.reports.flatMap(({ notes = [] }) => notes))) say(`${path}: ${text}`);
  if (reading.pages && summary.pages === undefined) say(`${path}: has no pages, so all of it was read`);
  else if (reading.pages && elements.length === 0)
    say(`${path}: has ${summary.pages} pages, none of them in --pages`);
}

/** A redrawn line on a terminal, nothing elsewhere: results and errors of each file are enough there. */
function progressOf(count: number) {
  const { stderr } = process;
  let [done, elements, drawnAt] = [0, 0, 0];
  const clear = () => stderr.isTTY && stderr.write('\r\x1b[K');
  return {
    element(path: string) {
      elements++;
      if (!stderr.isTTY || performance.now() - drawnAt < 100) return;
      drawnAt = performance.now();
      redraw(stderr, printable(`${done + 1}/${count} ${basename(path)}: ${elements} elements`));
    },
    file() {
      done++;
      clear();
    },
  };
}
