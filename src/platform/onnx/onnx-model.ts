import { encodeOpset } from './encode.ts';
import { inGraph, inModel, inNode, inOpset, inTensor, inValue } from './field-numbers.ts';
import { bytes, type Field, header, MalformedMessage, message, readFields, readNumbers } from './protobuf.ts';

/** Far above real models. A larger count would only cost time and memory. */
const maxNodes = 200_000;
/** Protobuf's own limit is 2 GiB; the file and its changed copy are in memory at the same time. */
export const maxModelBytes = 1024 * 1024 * 1024;

export interface OnnxNode {
  type: string;
  domain: string;
  inputs: string[];
  outputs: string[];
  /** The encoded node. */
  raw: Buffer;
}

interface OnnxTensor {
  dimensions: number[];
  /** ONNX's number of the element type. */
  type: number;
}

/** As much of an ONNX model as is needed to change its graph. Everything else is copied as it is. */
export interface OnnxModel {
  irVersion: number;
  /** Version by domain; the default domain is ''. */
  opsets: Map<string, number>;
  nodes: OnnxNode[];
  /** The constant tensors by name. */
  tensors: Map<string, OnnxTensor>;
  inputs: string[];
  outputs: string[];
  /** Whether tensors are in other files, which are found only beside the model's own file. */
  external: boolean;
  /** Fields in their order, to be written again. */
  source: { model: Field[]; graph: Field[] };
}

/** Reads a model. Throws `MalformedMessage` if the bytes are not one. */
export function readOnnx(file: Buffer): OnnxModel {
  const model = [...bounded(readFields(file))];
  const graphs = model.filter(({ number }) => number === inModel.graph);
  const [graph] = graphs;
  if (graph === undefined || graphs.length > 1) throw new MalformedMessage('there is not exactly one graph');
  const fields = [...bounded(readFields(graph.content))];
  const of = (number: number) => fields.filter((field) => field.number === number);
  const heads = of(inGraph.tensor).map(({ content }) => readTensor(content));
  return {
    irVersion: model.find(({ number }) => number === inModel.irVersion)?.value ?? 0,
    opsets: new Map(model.filter(({ number }) => number === inModel.opset).map(readOpset)),
    nodes: of(inGraph.node).map(({ content }) => readNode(content)),
    tensors: new Map(heads.map(({ name, ...tensor }) => [name, tensor])),
    inputs: of(inGraph.input).map(readName),
    outputs: of(inGraph.output).map(readName),
    external: heads.some((tensor) => tensor.external),
    source: { model, graph: fields },
  };
}

export interface OnnxChanges {
  nodes: readonly Buffer[];
  /** Encoded tensors to add. */
  tensors?: readonly Buffer[];
  /** Names of tensors to leave out. */
  unused?: ReadonlySet<string>;
  /** Encoded inputs and outputs to use instead of the model's. */
  inputs?: readonly Buffer[];
  outputs?: readonly Buffer[];
  /** Opsets to use instead of the model's. */
  opsets?: ReadonlyMap<string, number>;
}

/** Encodes the model with other nodes. */
export function writeOnnx(model: OnnxModel, changes: OnnxChanges): Buffer {
  const { nodes, tensors = [], unused, inputs, outputs, opsets = model.opsets } = changes;
  const replaced = new Set([inGraph.node]);
  if (inputs) replaced.add(inGraph.input);
  if (outputs) replaced.add(inGraph.output);
  const kept = model.source.graph.filter((field) => {
    if (replaced.has(field.number)) return false;
    return !(unused && field.number === inGraph.tensor && unused.has(readTensor(field.content).name));
  });
  const graph = [
    ...nodes.map((node) => bytes(inGraph.node, node)),
    ...kept.map(({ raw }) => raw),
    ...tensors.map((tensor) => bytes(inGraph.tensor, tensor)),
    ...(inputs ?? []).map((input) => bytes(inGraph.input, input)),
    ...(outputs ?? []).map((output) => bytes(inGraph.output, output)),
  ];
  const length = graph.reduce((sum, part) => sum + part.length, 0);
  const others = model.source.model.filter(
    ({ number }) => number !== inModel.graph && number !== inModel.opset,
  );
  return message(
    others.map(({ raw }) => raw),
    [...opsets].map(([domain, version]) => bytes(inModel.opset, encodeOpset(domain, version))),
    header(inModel.graph, length),
    graph,
  );
}

function* bounded(fields: Iterable<Field>): Generator<Field> {
  let count = 0;
  for (const field of fields) {
    count += 1;
    if (count > maxNodes) throw new MalformedMessage(`there are more than ${maxNodes} parts`);
    yield field;
  }
}

function readNode(content: Buffer): OnnxNode {
  const node: OnnxNode = { type: '', domain: '', inputs: [], outputs: [], raw: content };
  for (const field of bounded(readFields(content))) {
    if (field.number === inNode.input) node.inputs.push(field.content.toString());
    else if (field.number === inNode.output) node.outputs.push(field.content.toString());
    else if (field.number === inNode.type) node.type = field.content.toString();
    else if (field.number === inNode.domain) node.domain = field.content.toString();
  }
  return node;
}

function readTensor(content: Buffer): OnnxTensor & { name: string; external: boolean } {
  const tensor = { name: '', type: 0, dimensions: [] as number[], external: false };
  for (const { number, value, content: inner } of bounded(readFields(content))) {
    if (number === inTensor.name) tensor.name = inner.toString();
    else if (number === inTensor.type) tensor.type = value;
    else if (number === inTensor.location) tensor.external = value !== 0;
    // Dimensions are a number per field, or packed into one.
    else if (number === inTensor.dimension)
      tensor.dimensions.push(...(inner.length > 0 ? readNumbers(inner) : [value]));
  }
  return tensor;
}

function readOpset({ content }: Field): [string, number] {
  let domain = '';
  let version = 0;
  for (const field of readFields(content)) {
    if (field.number === inOpset.domain) domain = field.content.toString();
    if (field.number === inOpset.version) version = field.value;
  }
  // 'ai.onnx' is another name of the default domain.
  return [domain === 'ai.onnx' ? '' : domain, version];
}

function readName({ content }: Field): string {
  for (const field of readFields(content)) if (field.number === inValue.name) return field.content.toString();
  return '';
}
