import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface StandIn {
  /** Put it on the PATH. */
  folder: string;
  /** The starts so far: the arguments, and the variables that choose GPUs. */
  starts(): { args: string[]; gpus: string | null; order: string | null }[];
}

/**
 * A program that is started like vLLM or llama-server, notes how, and is healthy. It stands in for those on machines
 * without a GPU, for what they are told.
 */
export function writeStandInServer(folder: string, name: 'vllm' | 'llama-server'): StandIn {
  mkdirSync(folder, { recursive: true });
  const notes = join(folder, `${name}.jsonl`);
  const program = join(folder, name);
  writeFileSync(
    program,
    `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
const { CUDA_VISIBLE_DEVICES: gpus = null, CUDA_DEVICE_ORDER: order = null } = process.env;
appendFileSync(${JSON.stringify(notes)}, JSON.stringify({ args, gpus, order }) + '\\n');
const port = Number(args[args.indexOf('--port') + 1]);
require('node:http')
  .createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'text_completion', choices: [{ text: args.join(' ') }] }));
  })
  .listen(port, '127.0.0.1');
`,
  );
  chmodSync(program, 0o755);
  return {
    folder,
    starts: () =>
      existsSync(notes)
        ? readFileSync(notes, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  };
}
