import { writeSync } from 'node:fs';

/** Times that a full pipe is tried again, 5 ms apart, before its lines are dropped. */
const patience = 10;

interface LogOutputOptions {
  /** The line that says how many were dropped, once lines can be written again. */
  lossLine(count: number): string;
  write?(bytes: Uint8Array): number;
}

/**
 * Standard output as a destination for log lines. It never throws: lines that can't be written (a full disk, a closed
 * pipe, a reader that hangs) are dropped and counted, and logging continues as soon as that is possible.
 */
export function logOutput({ lossLine, write = writeToStdout }: LogOutputOptions): {
  write(line: string): void;
} {
  let dropped = 0;
  let torn = false;

  function writeAll(text: string): void {
    const bytes = Buffer.from(torn ? `\n${text}` : text);
    let retries = dropped > 0 ? 0 : patience;
    for (let at = 0; at < bytes.length; ) {
      try {
        at += write(bytes.subarray(at));
        torn = at < bytes.length;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || retries-- === 0) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
    }
  }

  return {
    write(line) {
      try {
        if (dropped > 0) {
          writeAll(lossLine(dropped));
          dropped = 0;
        }
        writeAll(line);
      } catch {
        dropped++;
      }
    },
  };
}

const writeToStdout = (bytes: Uint8Array) => writeSync(1, bytes);

/** For servers: output that nobody reads any more is no reason to end. */
export function ignoreLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
