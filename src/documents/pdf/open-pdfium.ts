import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { WebAssembly } from './web-assembly.ts';

/** PDFium in WebAssembly: a file that crashes it raises an error here instead of ending the process. */
export type Pdfium = Omit<WrappedPdfiumModule, 'pdfium'> & { memory: PdfiumMemory };

/** PDFium's own memory. The views are renewed when it grows, so they are read at each use. */
export interface PdfiumMemory {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
  allocate(bytes: number): number;
  free(pointer: number): void;
  text16(pointer: number, bytes: number): string;
  text8(pointer: number, bytes: number): string;
  addFunction(call: (...numbers: number[]) => number, signature: string): number;
  removeFunction(pointer: number): void;
}

interface EmscriptenModule {
  HEAPU8: Uint8Array;
  HEAP32: Int32Array;
  HEAPF32: Float32Array;
  HEAPF64: Float64Array;
  wasmExports: { malloc(bytes: number): number; free(pointer: number): void; [name: string]: unknown };
  addFunction(call: (...numbers: number[]) => number, signature: string): number;
  removeFunction(pointer: number): void;
}

type Imports = Record<string, Record<string, (...numbers: number[]) => unknown>>;

/** More than a page of ordinary documents ever takes; a compression bomb is stopped here. */
const memoryLimit = 320 * 1024 * 1024;

export async function openPdfium(limit = memoryLimit): Promise<Pdfium> {
  const binary = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const code = await WebAssembly.compile(binary);
  const options = {
    print: () => {},
    printErr: () => {},
    instantiateWasm: (imports: Imports, done: (instance: unknown) => void) => {
      limitMemory(imports, limit);
      void WebAssembly.instantiate(code, imports).then(done);
      return {};
    },
  };
  const wrapped = await init(options as never);
  wrapped.PDFiumExt_Init();
  const module = wrapped.pdfium as unknown as EmscriptenModule;
  return { ...wrapped, ...directCalls(module.wasmExports), memory: memoryOf(module) } as unknown as Pdfium;
}

/**
 * The package's wrappers look each function up and check its arguments at every call, which takes longer than the
 * calls for single letters do. Only functions that take text need them.
 */
function directCalls(functions: EmscriptenModule['wasmExports']) {
  const { FPDF_LoadCustomDocument: takesText, ...direct } = functions;
  return direct;
}

/** Refuses to grow beyond the limit, which PDFium takes for a lack of memory. */
function limitMemory(imports: Imports, limit: number): void {
  for (const group of Object.values(imports)) {
    const resize = group.emscripten_resize_heap;
    if (resize) group.emscripten_resize_heap = (bytes) => (bytes >>> 0 > limit ? 0 : resize(bytes as number));
  }
}

function memoryOf(module: EmscriptenModule): PdfiumMemory {
  const utf16 = new TextDecoder('utf-16le');
  const utf8 = new TextDecoder();
  return {
    get HEAPU8() {
      return module.HEAPU8;
    },
    get HEAP32() {
      return module.HEAP32;
    },
    get HEAPF32() {
      return module.HEAPF32;
    },
    get HEAPF64() {
      return module.HEAPF64;
    },
    allocate: (bytes) => module.wasmExports.malloc(bytes),
    free: (pointer) => module.wasmExports.free(pointer),
    text16: (pointer, bytes) => utf16.decode(module.HEAPU8.subarray(pointer, pointer + bytes)),
    text8: (pointer, bytes) => utf8.decode(module.HEAPU8.subarray(pointer, pointer + bytes)),
    addFunction: (call, signature) => module.addFunction(call, signature),
    removeFunction: (pointer) => module.removeFunction(pointer),
  };
}
