import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** ONNX models of a few numbers, whose results can be calculated by hand. */

const words = ['[PAD]', '[CLS]', '[SEP]', '[UNK]', 'red', 'green', 'blue', 'query', 'passage', ':'] as const;

/** Token id of a word in the tiny vocabulary. */
export function tinyId(word: (typeof words)[number]): number {
  return words.indexOf(word);
}

/**
 * Looks up each token in a table (`[vocabulary][size]`); the vectors are the output `last_hidden_state`, as 16-bit
 * floats if requested.
 */
export function writeTinyEmbedder(
  folder: string,
  table: number[][],
  files: Record<string, unknown> = {},
  options: { half?: boolean } = {},
): void {
  const type = options.half ? 10 : 1;
  const nodes = [
    node('Gather', ['table', 'input_ids'], ['looked_up']),
    node('Cast', ['looked_up'], ['last_hidden_state'], { to: type }),
  ];
  const graph = graphOf(nodes, [floats('table', [table.length, table[0]?.length ?? 0], table.flat())], {
    name: 'last_hidden_state',
    dims: ['batch', 'length', table[0]?.length ?? 0],
    type,
  });
  writeModel(folder, graph, files);
}

/** Adds up the weights of the second text's tokens; the sum is the only logit. */
export function writeTinyCrossEncoder(
  folder: string,
  weights: number[],
  files: Record<string, unknown> = {},
): void {
  const nodes = [
    node('Gather', ['weights', 'input_ids'], ['looked_up']),
    node('Cast', ['attention_mask'], ['mask'], { to: 1 }),
    node('Cast', ['token_type_ids'], ['second'], { to: 1 }),
    node('Mul', ['looked_up', 'mask'], ['masked']),
    node('Mul', ['masked', 'second'], ['counted']),
    node('ReduceSum', ['counted', 'axes'], ['logits'], { keepdims: 1 }),
  ];
  const tensors = [floats('weights', [weights.length], weights), int64s('axes', [1])];
  writeModel(folder, graphOf(nodes, tensors, { name: 'logits', dims: ['batch', 1] }), files);
}

function writeModel(folder: string, graph: Buffer, files: Record<string, unknown>): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'model.onnx'),
    message([integer(1, 8), bytes(7, graph), bytes(8, integer(2, 17))]),
  );
  const all = {
    'tokenizer.json': tokenizer,
    'config.json': { model_type: 'tiny', pad_token_id: 0 },
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const special = (id: string) => ({ id, ids: [words.indexOf(id as '[CLS]')], tokens: [id] });
const part = (kind: 'SpecialToken' | 'Sequence', id: string, type: number) => ({
  [kind]: { id, type_id: type },
});

const tokenizer = {
  version: '1.0',
  // The placeholder that exporters write if a model has no limit.
  truncation: { direction: 'Right', max_length: 4, strategy: 'LongestFirst', stride: 0 },
  padding: null,
  added_tokens: words.slice(0, 4).map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [part('SpecialToken', '[CLS]', 0), part('Sequence', 'A', 0), part('SpecialToken', '[SEP]', 0)],
    pair: [
      part('SpecialToken', '[CLS]', 0),
      part('Sequence', 'A', 0),
      part('SpecialToken', '[SEP]', 0),
      part('Sequence', 'B', 1),
      part('SpecialToken', '[SEP]', 1),
    ],
    special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
  },
  decoder: null,
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    unk_token: '[UNK]',
  },
};

// ---- As much of ONNX's protobuf messages as the models above need -----------------------------------------------

interface Output {
  name: string;
  dims: (string | number)[];
  type?: number;
}

function graphOf(nodes: Buffer[], tensors: Buffer[], output: Output): Buffer {
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
  return message([
    ...nodes.map((each) => bytes(1, each)),
    text(2, 'tiny'),
    ...tensors.map((each) => bytes(5, each)),
    ...inputs.map((name) => bytes(11, value(name, 7, ['batch', 'length']))),
    bytes(12, value(output.name, output.type ?? 1, output.dims)),
  ]);
}

function node(
  type: string,
  inputs: string[],
  outputs: string[],
  attributes: Record<string, number> = {},
): Buffer {
  const attribute = ([name, number]: [string, number]) =>
    bytes(5, message([text(1, name), integer(3, number), integer(20, 2)]));
  return message([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, type),
    ...Object.entries(attributes).map(attribute),
  ]);
}

function value(name: string, type: number, dims: (string | number)[]): Buffer {
  const dimensions = dims.map((dim) => bytes(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  const tensor = message([integer(1, type), bytes(2, message(dimensions))]);
  return message([text(1, name), bytes(2, bytes(1, tensor))]);
}

function floats(name: string, dims: number[], values: number[]): Buffer {
  const raw = Buffer.from(Float32Array.from(values).buffer);
  return message([...dims.map((dim) => integer(1, dim)), integer(2, 1), text(8, name), bytes(9, raw)]);
}

function int64s(name: string, values: number[]): Buffer {
  const raw = Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer);
  return message([integer(1, values.length), integer(2, 7), text(8, name), bytes(9, raw)]);
}

const message = (fields: Buffer[]) => Buffer.concat(fields);
const text = (field: number, content: string) => bytes(field, Buffer.from(content));
const integer = (field: number, number: number) => message([varint(field << 3), varint(number)]);

function bytes(field: number, content: Buffer): Buffer {
  return message([varint((field << 3) | 2), varint(content.length), content]);
}

function varint(number: number): Buffer {
  const out: number[] = [];
  let rest = number;
  while (rest > 127) {
    out.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.from([...out, rest]);
}
