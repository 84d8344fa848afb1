import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeNode, encodeOpset, encodeTensor, encodeValue } from '../../../src/platform/onnx/encode.ts';
import { elementTypes, inGraph, inModel } from '../../../src/platform/onnx/field-numbers.ts';
import { bytes, integer, message, text } from '../../../src/platform/onnx/protobuf.ts';

/** ONNX models of a few numbers, whose results can be calculated by hand. */

const words = ['[PAD]', '[CLS]', '[SEP]', '[UNK]', 'red', 'green', 'blue', 'query', 'passage', ':'] as const;

/** Token id of a word in the tiny vocabulary. */
export function tinyId(word: (typeof words)[number]): number {
  return words.indexOf(word);
}

/**
 * Looks up each token in a table (`[vocabulary][size]`); the vectors are the output `last_hidden_state`, as 16-bit
 * floats if requested. With `quantized` they have 8 bits and one scale for the whole batch.
 */
export function writeTinyEmbedder(
  folder: string,
  table: number[][],
  files: Record<string, unknown> = {},
  options: { half?: boolean; quantized?: boolean } = {},
): void {
  const type = options.half ? elementTypes.float16 : elementTypes.float32;
  const scaled = ['bytes', 'scale', 'zero'];
  const nodes = [
    node('Gather', ['table', 'input_ids'], ['looked_up']),
    ...(options.quantized
      ? [node('DynamicQuantizeLinear', ['looked_up'], scaled), node('DequantizeLinear', scaled, ['found'])]
      : [node('Identity', ['looked_up'], ['found'])]),
    node('Cast', ['found'], ['last_hidden_state'], { to: type }),
  ];
  const size = [table.length, table[0]?.length ?? 0];
  const graph = graphOf(nodes, [encodeTensor('table', Float32Array.from(table.flat()), size)], {
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
  const tensors = [
    encodeTensor('weights', Float32Array.from(weights), [weights.length]),
    encodeTensor('axes', BigInt64Array.of(1n), [1]),
  ];
  writeModel(folder, graphOf(nodes, tensors, { name: 'logits', dims: ['batch', 1] }), files);
}

function writeModel(folder: string, graph: Buffer, files: Record<string, unknown>): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'model.onnx'),
    message(
      integer(inModel.irVersion, 8),
      bytes(inModel.graph, graph),
      bytes(inModel.opset, encodeOpset('', 17)),
    ),
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

interface Output {
  name: string;
  dims: (string | number)[];
  type?: number;
}

function graphOf(nodes: Buffer[], tensors: Buffer[], output: Output): Buffer {
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
  const value = (name: string) => encodeValue(name, elementTypes.int64, ['batch', 'length']);
  return message(
    nodes.map((each) => bytes(inGraph.node, each)),
    text(inGraph.name, 'tiny'),
    tensors.map((each) => bytes(inGraph.tensor, each)),
    inputs.map((name) => bytes(inGraph.input, value(name))),
    bytes(inGraph.output, encodeValue(output.name, output.type ?? elementTypes.float32, output.dims)),
  );
}

function node(
  type: string,
  inputs: string[],
  outputs: string[],
  attributes: Record<string, number> = {},
): Buffer {
  return encodeNode({ type, inputs, outputs, attributes });
}
