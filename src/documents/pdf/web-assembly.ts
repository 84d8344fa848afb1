/** What is used of WebAssembly. TypeScript describes it only together with the browser's other globals. */
interface WebAssemblyGlobal {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(code: object, imports: object): Promise<object>;
  RuntimeError: new () => Error;
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyGlobal };
