import { encodeNode, encodeTensor } from '../../../../platform/onnx/encode.ts';
import { type OnnxNode, readOnnx, writeOnnx } from '../../../../platform/onnx/onnx-model.ts';
import { findProducts, type Product } from './find-products.ts';

/** Version of the operators that onnxruntime adds to ONNX's. */
const microsoftVersion = 1;
/** Activations become unsigned bytes around this value, so that both signs have 127 steps. */
const zeroPoint = 128;
const steps = 127;
/** Divisor of rows that are all zeros. */
const smallest = 1e-30;

const names = {
  step: 'roundhouse:step',
  zeroPoint: 'roundhouse:zero_point',
  smallest: 'roundhouse:smallest',
  axes: 'roundhouse:axes',
};

/**
 * Replaces dynamic quantisation with one scale per tensor by one scale per row, so that a sequence's result does not
 * depend on the rest of its batch. Products of two activations become float products, because the rows of their second
 * factor include padding. Returns undefined if there is nothing to replace.
 */
export function scaleByRow(file: Buffer): Buffer | undefined {
  const model = readOnnx(file);
  const opset = model.opsets.get('') ?? 0;
  // Constants that are not inputs exist since IR version 4.
  if (model.irVersion < 4 || opset < 11 || model.external) return undefined;
  const products = findProducts(model);
  if (products.length === 0) return undefined;
  const replacements = new Map<OnnxNode, Buffer[]>();
  for (const product of products) {
    for (const node of [product.matMul, product.cast, product.scales]) replacements.set(node, []);
    replacements.set(product.result, product.weights ? scaled(product) : [plain(product)]);
  }
  const stillUsed = new Set(
    model.nodes.filter((node) => !replacements.has(node)).flatMap(({ inputs }) => inputs),
  );
  const toRows = new Set(products.filter(({ weights }) => weights).map(({ quantizers: [first] }) => first));
  for (const quantizer of new Set(products.flatMap(({ quantizers }) => quantizers))) {
    const kept = quantizer.outputs.some((output) => stillUsed.has(output)) ? [quantizer.raw] : [];
    replacements.set(quantizer, [...kept, ...(toRows.has(quantizer) ? quantized(quantizer, opset) : [])]);
  }
  return writeOnnx(model, {
    nodes: model.nodes.flatMap((node) => replacements.get(node) ?? [node.raw]),
    tensors: [
      encodeTensor(names.step, Float32Array.of(1 / steps)),
      encodeTensor(names.zeroPoint, Uint8Array.of(zeroPoint)),
      encodeTensor(names.smallest, Float32Array.of(smallest)),
      ...(opset < 18 ? [] : [encodeTensor(names.axes, BigInt64Array.of(-1n), [1])]),
    ],
    opsets: new Map([['com.microsoft', microsoftVersion], ...model.opsets]),
  });
}

/** Divides each row by its extreme, and rounds it to bytes. */
function quantized(quantizer: OnnxNode, opset: number): Buffer[] {
  const input = quantizer.inputs[0] as string;
  const { row, extreme, bytes } = rowNames(quantizer);
  // The axes are an input since version 18, and were an attribute before.
  const reduced = {
    inputs: opset < 18 ? [input] : [input, names.axes],
    attributes: { keepdims: 1, ...(opset < 18 ? { axes: [-1] } : {}) },
  };
  return [
    // Two reductions are faster than one of the absolute values, which would have to be written first.
    encodeNode({ type: 'ReduceMax', ...reduced, outputs: [`${row}:highest`] }),
    encodeNode({ type: 'ReduceMin', ...reduced, outputs: [`${row}:lowest`] }),
    encodeNode({ type: 'Neg', inputs: [`${row}:lowest`], outputs: [`${row}:negated`] }),
    encodeNode({
      type: 'Max',
      inputs: [`${row}:highest`, `${row}:negated`, names.smallest],
      outputs: [extreme],
    }),
    encodeNode({ type: 'Div', inputs: [input, extreme], outputs: [`${row}:divided`] }),
    encodeNode({
      type: 'QuantizeLinear',
      inputs: [`${row}:divided`, names.step, names.zeroPoint],
      outputs: [bytes],
    }),
  ];
}

function scaled({ quantizers: [quantizer], weights, result }: Product): Buffer[] {
  const { matrix, scale, zeroPoint } = weights as NonNullable<Product['weights']>;
  const { extreme, bytes } = rowNames(quantizer as OnnxNode);
  const output = result.outputs[0] as string;
  const product = `roundhouse:product:${output}`;
  return [
    encodeNode({
      type: 'MatMulIntegerToFloat',
      domain: 'com.microsoft',
      inputs: [
        bytes,
        matrix,
        names.step,
        scale,
        names.zeroPoint,
        ...(zeroPoint === undefined ? [] : [zeroPoint]),
      ],
      outputs: [product],
    }),
    encodeNode({ type: 'Mul', inputs: [product, extreme], outputs: [output] }),
  ];
}

function plain({ quantizers, result }: Product): Buffer {
  const inputs = quantizers.map((quantizer) => quantizer.inputs[0] as string);
  return encodeNode({ type: 'MatMul', inputs, outputs: result.outputs });
}

function rowNames(quantizer: OnnxNode) {
  const row = `roundhouse:row:${quantizer.outputs[0]}`;
  return { row, extreme: `${row}:extreme`, bytes: `${row}:bytes` };
}
