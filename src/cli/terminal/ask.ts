import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Asks for a text on a terminal, without showing a secret; undefined where nobody can answer. */
export async function ask(question: string, { hidden }: { hidden: boolean }): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stop = new AbortController();
  if (hidden) stderr.write(question);
  const lines = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true });
  lines.once('SIGINT', () => stop.abort());
  try {
    return (await lines.question(hidden ? '' : question, { signal: stop.signal })).trim();
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exit(130);
  } finally {
    lines.close();
    if (hidden) stderr.write('\n');
  }
}
