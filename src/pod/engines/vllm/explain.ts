import type { ChildEnd } from '../server/child-group.ts';
import { explainSilence, type Judgement, judge } from '../server/explain-end.ts';
import type { Cause } from '../server/server-kind.ts';

const judgements: Judgement[] = [
  {
    pattern:
      /out of memory|no available memory|memory .*less than|larger than the available kv cache|bad_alloc/i,
    failure: 'out-of-memory',
  },
  {
    pattern:
      /cannot find any model weights|repo id must be|no such file|not a valid model identifier|does not appear to have a file/i,
    failure: 'missing-file',
  },
  { pattern: /safetensor|deserializ|invalid header|corrupt|incomplete/i, failure: 'corrupt-file' },
  {
    pattern:
      /does not recognize|not supported|unsupported|invalid choice|max_model_len|unknown quantization|compute capability/i,
    failure: 'unsupported',
  },
];

/** Messages that only report that something else failed. */
const echoes =
  /initialization failed|see (the )?(stack trace|root cause)|please check the stack trace|encountered an issue|direct cause of/i;

/** Finds the root cause in vLLM's tracebacks, which several processes write to one log, each with its own prefix. */
export function explainVllm(lines: string[], end: ChildEnd): Cause {
  const texts = lines.map(withoutPrefix);
  const usage = texts.findLast((text) => /^vllm( serve)?: error: /.test(text));
  const invalid = texts.findLast((text) => /^\s*Value error, /.test(text));
  const raised = texts.find((text) => /^[\w.]*(Error|Exception)\b.*: ./.test(text) && !echoes.test(text));
  const message = usage ?? invalid ?? raised;
  if (message === undefined) return explainSilence(end, texts.at(-1)?.trim());
  return judge(withoutClass(message), judgements);
}

/** `(Worker pid=7) ERROR 11-15 14:43:50 [file.py:1063] ` */
function withoutPrefix(line: string): string {
  return line.replace(/^\(\w+[^)]*\) ?/, '').replace(/^(INFO|WARNING|ERROR) [\d-]+ [\d:]+ \[[^\]]*\] ?/, '');
}

function withoutClass(message: string): string {
  return message
    .replace(/^vllm( serve)?: error: /, '')
    .replace(/^\s*Value error, /, '')
    .replace(/^[\w.]*(Error|Exception): /, '')
    .replace(/ \[type=.*$/, '');
}
