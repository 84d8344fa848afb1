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

const every = 100;
/** Writes of other threads can't split a write to a pipe of up to this size. */
const pipeAtomic = 4096;
const largestWrite = 65_536;
const retries = 50;

const { ring: shared, texts, pretty, colour } = workerData as LogThreadData;
const ring = new LogRing(shared);
const known = new Map<number, string>();
const batch = fstatSync(1).isFIFO() ? pipeAtomic : largestWrite;
let lost = 0;

while (!ring.closing) {
  ring.wait(every);
  writeAll();
}
writeAll();
ring.markClosed();

function writeAll(): void {
  let lines = '';
  // What is in the ring now was written after its texts were sent.
  for (let left = ring.size; left > 0; left--) {
    learn();
    const line = format();
    if (lines !== '' && lines.length + line.length > batch) {
      write(lines);
      lines = '';
    }
    lines += line;
  }
  if (lines !== '') write(lines);
}

function learn(): void {
  for (let received = receiveMessageOnPort(texts); received; received = receiveMessageOnPort(texts)) {
    const [id, text] = received.message as [number, string];
    known.set(id, text);
  }
}

function format(): string {
  const line = accessLine(ring.read(), (id) => known.get(id) ?? '');
  return pretty ? prettyLine(JSON.parse(line), colour) : line;
}

/** A log that can't be written, because its disk is full or nobody reads it, must cost lines and nothing else. */
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

/** Says how many lines are missing, once lines can be written again. */
function reportLost(): void {
  if (lost === 0) return;
  const time = new Date().toISOString();
  const line = `{"level":"warn","time":"${time}","msg":"log lines could not be written","lost":${lost}}\n`;
  try {
    writeSync(1, line);
    lost = 0;
  } catch {
    // They are reported with the next lines that can be written.
  }
}
