/** The part of the WebAssembly JavaScript API that is used here. TypeScript declares this API only in its DOM library. */
declare namespace WebAssembly {
  class Module {
    constructor(binary: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>
    constructor(module: Module, imports: Imports)
  }
  type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
