import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeTinyCrossEncoder } from '../../../test/testkit/models/tiny-onnx.ts';
import { encodeNode } from './encode.ts';
import { readOnnx, writeOnnx } from './onnx-model.ts';
import { bytes, integer, MalformedMessage, message, readFields } from './protobuf.ts';

const folder = mkdtempSync(join(tmpdir(), 'onnx-model-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeTinyCrossEncoder(folder, [1, 2, 3]);
const file = readFileSync(join(folder, 'model.onnx'));

describe('an ONNX model', () => {
  test('is read with its nodes, constants, inputs and outputs', () => {
    const model = readOnnx(file);
    expect(model).toMatchObject({ irVersion: 8, external: false, outputs: ['logits'] });
    expect(model.opsets).toEqual(new Map([['', 17]]));
    expect(model.inputs).toEqual(['input_ids', 'attention_mask', 'token_type_ids']);
    expect(model.nodes.map(({ type }) => type)).toContain('ReduceSum');
    expect(model.tensors.get('weights')).toMatchObject({ dimensions: [3], type: 1 });
  });

  test('is written with other nodes, and the rest as it was', () => {
    const model = readOnnx(file);
    const node = encodeNode({ type: 'Identity', domain: 'other', inputs: ['a'], outputs: ['b'] });
    const written = readOnnx(writeOnnx(model, { nodes: [node], unused: new Set(['axes']) }));
    expect(written.nodes).toMatchObject([
      { type: 'Identity', domain: 'other', inputs: ['a'], outputs: ['b'] },
    ]);
    expect([...written.tensors.keys()]).toEqual(['weights']);
    expect(written.inputs).toEqual(model.inputs);
    const same = writeOnnx(model, { nodes: model.nodes.map(({ raw }) => raw) });
    expect(readOnnx(same).nodes).toEqual(model.nodes);
  });

  test('that is cut off or changed anywhere is either read or refused', () => {
    for (let at = 0; at < file.length; at++) {
      for (const hostile of [file.subarray(0, at), changed(at, 255), changed(at, 128)]) {
        try {
          readOnnx(hostile);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }
    }
  });

  test.each([
    ['no graph', integer(1, 8)],
    ['two graphs', message(bytes(7, Buffer.alloc(0)), bytes(7, Buffer.alloc(0)))],
    ['a length beyond the end', Buffer.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1])],
    ['an endless number', Buffer.alloc(64, 0xff)],
    ['an unknown kind of field', Buffer.from([0x3b, 0])],
    ['more nodes than any model has', bytes(7, Buffer.alloc(500_000, bytes(1, Buffer.alloc(0))))],
  ])('with %s is refused', (_, hostile) => {
    expect(() => readOnnx(hostile)).toThrow(MalformedMessage);
  });

  test('keeps negative numbers', () => {
    const [field] = readFields(integer(3, -1));
    expect(field?.raw).toHaveLength(11);
    expect(field?.value).toBe(2 ** 64);
  });
});

function changed(at: number, value: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = value;
  return copy;
}
