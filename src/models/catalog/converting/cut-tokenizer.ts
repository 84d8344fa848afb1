import { encodeNode, encodeTensor, encodeValue } from '../../../platform/onnx/encode.ts';
import { elementTypes, inAttribute, inNode } from '../../../platform/onnx/field-numbers.ts';
import { type OnnxNode, readOnnx, writeOnnx } from '../../../platform/onnx/onnx-model.ts';
import { MalformedMessage, readFields } from '../../../platform/onnx/protobuf.ts';
import { readSentencePiece } from './sentencepiece.ts';
import { unigramTokenizer } from './unigram-tokenizer.ts';

const customDomain = 'ai.onnx.contrib';

/**
 * Takes the SentencePiece operator, which onnxruntime does not know, out of a sentence encoder. The model then takes
 * token ids and a mask like other encoders, and its vocabulary becomes a tokenizer.
 */
export function cutTokenizer(file: Buffer): { model: Buffer; tokenizer: object } {
  const model = readOnnx(file);
  const isTokenizer = (node: OnnxNode) =>
    node.domain === customDomain && node.type === 'SentencepieceTokenizer';
  const [node, ...others] = model.nodes.filter(isTokenizer);
  const [output, ...moreOutputs] = model.outputs;
  if (!node || others.length > 0)
    throw new MalformedMessage('there is not exactly one SentencePiece operator');
  if (output === undefined || moreOutputs.length > 0)
    throw new MalformedMessage('there is not exactly one output');
  const [ids, rowStarts] = node.outputs;
  if (ids === undefined || rowStarts === undefined || node.outputs.length !== 2)
    throw new MalformedMessage('the SentencePiece operator does not have two outputs');
  const opsets = new Map([...model.opsets].filter(([domain]) => domain !== customDomain));
  const inputs = ['input_ids', 'attention_mask'].map((name) =>
    encodeValue(name, elementTypes.int64, ['batch', 'length']),
  );
  return {
    model: writeOnnx(model, {
      nodes: [
        ...raggedInputs(ids, rowStarts),
        ...model.nodes.filter((each) => each !== node).map(({ raw }) => raw),
        encodeNode({ type: 'Identity', inputs: [output], outputs: ['sentence_embedding'] }),
      ],
      tensors: constants,
      inputs,
      outputs: [encodeValue('sentence_embedding', elementTypes.float32, ['batch', 'size'])],
      opsets,
    }),
    tokenizer: unigramTokenizer(readSentencePiece(modelOf(node))),
  };
}

const constants = [
  encodeTensor('roundhouse:flat', BigInt64Array.of(-1n), [1]),
  encodeTensor('roundhouse:zero', BigInt64Array.of(0n), [1]),
  encodeTensor('roundhouse:first_axis', BigInt64Array.of(0n)),
];

/** The operator's outputs: the ids of all texts one after the other, and where each text begins, with the end last. */
function raggedInputs(ids: string, rowStarts: string): Buffer[] {
  const named = (name: string) => `roundhouse:${name}`;
  const node = (type: string, inputs: string[], output: string, attributes = {}) =>
    encodeNode({ type, inputs, outputs: [output], attributes });
  return [
    node('Reshape', ['input_ids', named('flat')], named('flat_ids')),
    node('Reshape', ['attention_mask', named('flat')], named('flat_mask')),
    node('Cast', [named('flat_mask')], named('is_text'), { to: elementTypes.bool }),
    node('Compress', [named('flat_ids'), named('is_text')], named('text_ids'), { axis: 0 }),
    node('Cast', [named('text_ids')], ids, { to: elementTypes.int32 }),
    node('ReduceSum', ['attention_mask'], named('lengths'), { axes: [1], keepdims: 0 }),
    node('CumSum', [named('lengths'), named('first_axis')], named('ends')),
    node('Concat', [named('zero'), named('ends')], rowStarts, { axis: 0 }),
  ];
}

/** The operator's vocabulary, in SentencePiece's own format. */
function modelOf(node: OnnxNode): Buffer {
  for (const { number, content } of readFields(node.raw)) {
    if (number !== inNode.attribute) continue;
    const fields = [...readFields(content)];
    const name = fields.find((field) => field.number === inAttribute.name)?.content.toString();
    const value = fields.find((field) => field.number === inAttribute.text)?.content;
    if (name === 'model' && value) return value;
  }
  throw new MalformedMessage('the SentencePiece operator has no vocabulary');
}
