/** Field numbers of ONNX's messages (onnx.proto). */
export const inModel = { irVersion: 1, graph: 7, opset: 8 };
export const inOpset = { domain: 1, version: 2 };
export const inGraph = { node: 1, name: 2, tensor: 5, input: 11, output: 12 };
export const inNode = { input: 1, output: 2, type: 4, attribute: 5, domain: 7 };
export const inAttribute = { name: 1, float: 2, integer: 3, text: 4, integers: 8, type: 20 };
export const inTensor = { dimension: 1, type: 2, name: 8, data: 9, location: 14 };
export const inValue = { name: 1, type: 2 };

/** Element types of tensors. */
export const elementTypes = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10 };
