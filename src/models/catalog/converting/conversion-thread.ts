import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { ConversionAnswer, ConversionOrder } from './convert-file.ts';
import { cutTokenizer } from './cut-tokenizer.ts';

parentPort?.postMessage(convert(workerData as ConversionOrder));

function convert({ conversion, from, folder, path }: ConversionOrder): ConversionAnswer {
  try {
    const source = readFileSync(from);
    if ('json' in conversion) {
      const json = { ...JSON.parse(source.toString()), ...conversion.json };
      writeFileSync(join(folder, path), JSON.stringify(json));
      return { written: [path] };
    }
    const { model, tokenizer } = cutTokenizer(source);
    writeFileSync(join(folder, path), model);
    writeFileSync(join(folder, conversion.sentencepiece), JSON.stringify(tokenizer));
    return { written: [path, conversion.sentencepiece] };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
