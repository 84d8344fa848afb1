/**
 * Dot products of a query with many vectors of 8-bit codes, in WebAssembly with 128-bit SIMD. The bytes of the module
 * are put together here, so that there is neither a compiler to install nor a binary to trust. In text form:
 *
 *   (func (export "scan") (param $vector i32) (param $count i32) (param $stride i32) (param $query i32) (param $out i32)
 *     (local $position i32) (local $end i32) (local $codes v128) (local $low v128) (local $high v128)
 *     (loop $next
 *       (local.set $low (v128.const i32x4 0 0 0 0)) (local.set $high (v128.const i32x4 0 0 0 0))
 *       (local.set $position (local.get $query))
 *       (local.set $end (i32.add (local.get $vector) (local.get $stride)))
 *       (loop $lanes
 *         (local.set $codes (v128.load (local.get $vector)))
 *         (local.set $low (i32x4.add (local.get $low) (i32x4.dot_i16x8_s
 *           (i16x8.extend_low_i8x16_s (local.get $codes)) (v128.load (local.get $position)))))
 *         (local.set $high (i32x4.add (local.get $high) (i32x4.dot_i16x8_s
 *           (i16x8.extend_high_i8x16_s (local.get $codes)) (v128.load offset=16 (local.get $position)))))
 *         (local.set $position (i32.add (local.get $position) (i32.const 32)))
 *         (br_if $lanes (i32.ne (local.tee $vector (i32.add (local.get $vector) (i32.const 16))) (local.get $end))))
 *       (i32.store (local.get $out) <the sum of the four lanes of $low + $high>)
 *       (local.set $out (i32.add (local.get $out) (i32.const 4)))
 *       (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))
 */

/**
 * Writes `count` dot products, at least one, as 32-bit integers to `out`. A vector has `stride` signed codes of 8 bits,
 * a multiple of 16. The query has as many of 16 bits.
 */
export type Scan = (vectors: number, count: number, stride: number, query: number, out: number) => void;

/** TypeScript knows WebAssembly only together with the types of browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: { scan: unknown };
  }
}

export type KernelMemory = WebAssembly.Memory;

const I32 = 0x7f;
const V128 = 0x7b;
const NOTHING = 0x40;

const [VECTOR, COUNT, STRIDE, QUERY, OUT, POSITION, END, CODES, LOW, HIGH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
/** Constants of one byte: below 64. */
const i32 = (value: number) => [0x41, value];
const add = [0x6a];
const subtract = [0x6b];
const notEqual = [0x47];
const store = [0x36, 2, 0];
const loop = [0x03, NOTHING];
const branchIf = (depth: number) => [0x0d, depth];
const end = [0x0b];

const simd = (code: number) => (code < 0x80 ? [0xfd, code] : [0xfd, code, 0x01]);
const load = (offset: number) => [...simd(0x00), 0, offset];
const zero = [...simd(0x0c), ...new Array<number>(16).fill(0)];
const lane = (number: number) => [...simd(0x1b), number];
const extendLow = simd(0x87);
const extendHigh = simd(0x88);
const addLanes = simd(0xae);
const dot = simd(0xba);

const half = (sum: number, extend: number[], offset: number) =>
  [get(sum), get(CODES), extend, get(POSITION), load(offset), dot, addLanes, set(sum)].flat();

const instructions = [
  loop,
  [zero, set(LOW), zero, set(HIGH), get(QUERY), set(POSITION)],
  [get(VECTOR), get(STRIDE), add, set(END)],
  loop,
  [get(VECTOR), load(0), set(CODES)],
  [half(LOW, extendLow, 0), half(HIGH, extendHigh, 16)],
  [get(POSITION), i32(32), add, set(POSITION)],
  [get(VECTOR), i32(16), add, tee(VECTOR), get(END), notEqual, branchIf(0)],
  end,
  [get(LOW), get(HIGH), addLanes, set(LOW), get(OUT)],
  [get(LOW), lane(0), get(LOW), lane(1), add, get(LOW), lane(2), add, get(LOW), lane(3), add, store],
  [get(OUT), i32(4), add, set(OUT)],
  [get(COUNT), i32(1), subtract, tee(COUNT), branchIf(0)],
  end,
].flat(3);

const text = (value: string) => [value.length, ...Buffer.from(value, 'latin1')];
/** A length as LEB128 of two bytes, which is enough for this module. */
const section = (id: number, content: number[]) => [
  id,
  (content.length & 0x7f) | 0x80,
  content.length >> 7,
  ...content,
];

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const parameters = [I32, I32, I32, I32, I32];
  const locals = [2, 2, I32, 3, V128];
  const body = [...locals, ...instructions, ...end];
  const sizedBody = [(body.length & 0x7f) | 0x80, body.length >> 7, ...body];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters.length, ...parameters, 0]),
    ...section(2, [1, ...text('env'), ...text('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('scan'), 0x00, 0]),
    ...section(10, [1, ...sizedBody]),
  ]);
}

let compiled: WebAssembly.Module | undefined;

/** The function, and the memory that it works on: one page of 64 KiB at first. */
export function scanKernel(): { memory: KernelMemory; scan: Scan } {
  compiled ??= new WebAssembly.Module(moduleBytes());
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { scan } = new WebAssembly.Instance(compiled, { env: { memory } }).exports;
  return { memory, scan: scan as Scan };
}
