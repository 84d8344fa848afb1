import { fstatSync, writeSync } from 'node:fs';
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { prettyLine } from '../../../platform/telemetry/pretty-line.ts';
import { accessLine } from './access-line.ts';
import { LogRing } from './log-ring.ts';

export interface LogThreadData {
  ring: SharedArrayBuffer;
  /** Texts by number, as `[number, text]`. */
  texts: MessagePort;
  pretty: boolean;
  colour: boolean;
}

const idleInterval = 100;
/** While there are requests: many lines at once would keep the processor from them for milliseconds. */
const busyInterval = 20;
/** Writes to a pipe are atomic up to this size, so lines of other threads can't end up inside ours. */
const pipeAtomic = 4096;
const maxWrite = 65_536;
const retries = 50;

const { ring: shared, texts, pretty, colour } = workerData as LogThreadData;
const ring = new LogRing(shared);
/** Texts by number, as JSON strings. */
const known: string[] = [];
const batch = fstatSync(1).isFIFO() ? pipeAtomic : maxWrite;
let lost = 0;

for (let written = 0; !ring.closing; ) {
  ring.wait(written > 0 ? busyInterval : idleInterval);
  written = writeAll();
}
writeAll();
ring.markClosed();

/** Writes what is in the ring, and returns the number of entries. */
function writeAll(): number {
  const count = ring.size;
  let lines = '';
  for (let left = count; left > 0; left--) {
    const line = format();
    if (lines !== '' && lines.length + line.length > batch) {
      write(lines);
      lines = '';
    }
    lines += line;
  }
  if (lines !== '') write(lines);
  return count;
}

/** The text of every entry in the ring was sent before the entry was written. */
function quoted(id: number): string {
  if (known[id] === undefined) receiveTexts();
  return known[id] ?? '""';
}

function receiveTexts(): void {
  for (let received = receiveMessageOnPort(texts); received; received = receiveMessageOnPort(texts)) {
    const [id, text] = received.message as [number, string];
    known[id] = JSON.stringify(text);
  }
}

function format(): string {
  const line = accessLine(ring.read(), quoted);
  return pretty ? prettyLine(JSON.parse(line), colour) : line;
}

/** If the disk is full or nobody reads the output, log lines are lost but the dispatcher keeps running. */
function write(lines: string): void {
  const bytes = Buffer.from(lines);
  let sent = 0;
  for (let attempt = 0; sent < bytes.length && attempt < retries; attempt++) {
    try {
      sent += writeSync(1, bytes, sent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  if (sent === bytes.length) reportLost();
  else lost += lines.split('\n').length - 1;
}

/** Logs the number of lost lines once writing works again. */
function reportLost(): void {
  if (lost === 0) return;
  const time = new Date().toISOString();
  const line = `{"level":"warn","time":"${time}","msg":"log lines could not be written","lost":${lost}}\n`;
  try {
    writeSync(1, line);
    lost = 0;
  } catch {
    // Reported with the next lines that can be written.
  }
}
