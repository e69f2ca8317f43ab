/** The part of the WebAssembly JavaScript API used here; TypeScript keeps it in the library of browsers. */
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
