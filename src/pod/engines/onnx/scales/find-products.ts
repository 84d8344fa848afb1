import { elementTypes } from '../../../../platform/onnx/field-numbers.ts';
import type { OnnxModel, OnnxNode } from '../../../../platform/onnx/onnx-model.ts';

/** A matrix product of dynamically quantised activations with weights, or with other activations. */
export interface Product {
  /** The node or nodes that quantise the activations. */
  quantizers: OnnxNode[];
  matMul: OnnxNode;
  cast: OnnxNode;
  /** Multiplies both factors' scales. */
  scales: OnnxNode;
  /** Multiplies the product by the scales. Its output is the result. */
  result: OnnxNode;
  /** Undefined where the second factor is quantised dynamically, too. */
  weights?: { matrix: string; scale: string; zeroPoint?: string };
}

/**
 * Finds the products that onnxruntime's quantiser writes: DynamicQuantizeLinear, MatMulInteger, Cast, and Mul by the
 * product of the scales. One whose intermediate values are used elsewhere is left out.
 */
export function findProducts(model: OnnxModel): Product[] {
  const makers = new Map<string, OnnxNode>();
  const users = new Map<string, OnnxNode[]>();
  for (const node of model.nodes) {
    for (const output of node.outputs) makers.set(output, node);
    for (const input of node.inputs) {
      const known = users.get(input);
      if (known) known.push(node);
      else users.set(input, [node]);
    }
  }
  const graph = { tensors: model.tensors, outputs: new Set(model.outputs), makers, users };
  return model.nodes.filter(is('MatMulInteger')).flatMap((node) => readProduct(graph, node) ?? []);
}

interface Graph {
  tensors: OnnxModel['tensors'];
  outputs: ReadonlySet<string>;
  makers: ReadonlyMap<string, OnnxNode>;
  users: ReadonlyMap<string, OnnxNode[]>;
}

const is = (type: string) => (node: OnnxNode | undefined) => node?.type === type && node.domain === '';

function readProduct(graph: Graph, matMul: OnnxNode): Product | undefined {
  const [first = '', second = '', firstZero = '', secondZero = ''] = matMul.inputs;
  const quantizer = quantizerOf(graph, first, firstZero);
  const cast = onlyUser(graph, matMul, 'Cast');
  const result = cast && onlyUser(graph, cast, 'Mul');
  if (!quantizer || !cast || !result) return undefined;
  const other = result.inputs.find((input) => input !== cast.outputs[0]) ?? '';
  const scales = graph.makers.get(other);
  if (!is('Mul')(scales) || !scales || onlyUser(graph, scales, 'Mul') !== result) return undefined;
  const scale = otherInput(scales, quantizer.outputs[1]);
  if (scale === undefined) return undefined;
  const parts = { matMul, cast, scales, result };
  const otherQuantizer = quantizerOf(graph, second, secondZero);
  if (otherQuantizer) {
    if (otherQuantizer.outputs[1] !== scale) return undefined;
    return { ...parts, quantizers: [quantizer, otherQuantizer] };
  }
  const { tensors } = graph;
  const isConstant = [second, scale, ...(secondZero ? [secondZero] : [])].every((name) => tensors.has(name));
  if (!isConstant || tensors.get(second)?.dimensions.length !== 2) return undefined;
  if (tensors.get(scale)?.type !== elementTypes.float32) return undefined;
  const weights = { matrix: second, scale, ...(secondZero ? { zeroPoint: secondZero } : {}) };
  return { ...parts, quantizers: [quantizer], weights };
}

/** The node that makes both the bytes and their zero point. */
function quantizerOf({ makers, outputs }: Graph, bytes: string, zeroPoint: string): OnnxNode | undefined {
  const node = makers.get(bytes);
  if (!node || !is('DynamicQuantizeLinear')(node) || node.outputs.length !== 3) return undefined;
  const matches = node.outputs[0] === bytes && node.outputs[2] === zeroPoint;
  return matches && !node.outputs.some((output) => outputs.has(output)) ? node : undefined;
}

function onlyUser({ users, outputs }: Graph, node: OnnxNode, type: string): OnnxNode | undefined {
  const output = node.outputs[0] ?? '';
  const [user, ...others] = users.get(output) ?? [];
  if (others.length > 0 || outputs.has(output)) return undefined;
  return is(type)(user) ? user : undefined;
}

function otherInput(node: OnnxNode, input: string | undefined): string | undefined {
  if (node.inputs.length !== 2 || !node.inputs.includes(input ?? '')) return undefined;
  return node.inputs.find((name) => name !== input);
}
