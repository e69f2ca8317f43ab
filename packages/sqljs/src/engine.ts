/**
 * SQLite as sql.js ships it, with one WebAssembly instance per thread. This package does not use sql.js's JavaScript, which
 * would keep files in memory and hide functions that this package needs. Only the binary that this package was written for
 * works, because parts of the API read SQLite's own structures. Any other binary is refused before it touches a file.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { binaryName, pinnedHash } from "./binary.js"
import { callingBack, onAbandoned } from "./calls.js"
import { invalidState, SQLITE_NOMEM, sqliteError } from "./errors.js"
import { Memory, type Pages } from "./memory.js"
import { type Callable, isCallable } from "./options.js"
import { stackReserve } from "./stack-reserve.js"
import { openUriAddress, pageSizeCallAddress } from "./structures.js"
import { type SystemCalls, systemCalls } from "./system-calls.js"

type Call<Parameters extends readonly unknown[]> = (...parameters: Parameters) => number
type Pointer = number
type Handle = number
/** `call` runs a function; `step` and `final` run an aggregate. `data` identifies the function in its callbacks. */
type FunctionDefinition = [count: number, flags: number, data: number, call: number, step: number, final: number, drop: number]

/** The functions in the binary that this package calls. Pointers and handles are numbers; 0 is null. */
interface Exports {
  readonly memory: Pages
  readonly __indirect_function_table: {
    readonly grow: (entries: number) => number
    readonly set: (index: number, value: unknown) => void
  }
  readonly __wasm_call_ctors: () => void
  readonly emscripten_stack_init: () => void
  readonly emscripten_stack_get_base: () => number
  readonly emscripten_stack_get_end: () => number
  readonly __set_stack_limits: (base: number, end: number) => void
  readonly emscripten_builtin_memalign: Call<[alignment: number, length: number]>
  readonly malloc: Call<[length: number]>
  readonly free: (pointer: Pointer) => void
  readonly sqlite3_open: Call<[name: Pointer, result: Pointer]>
  readonly sqlite3_close_v2: Call<[database: Handle]>
  readonly sqlite3_errmsg: Call<[database: Handle]>
  readonly sqlite3_exec: Call<[database: Handle, sql: Pointer, callback: number, argument: number, message: Pointer]>
  readonly sqlite3_prepare_v2: Call<[database: Handle, sql: Pointer, length: number, statement: Pointer, tail: Pointer]>
  readonly sqlite3_step: Call<[statement: Handle]>
  readonly sqlite3_reset: Call<[statement: Handle]>
  readonly sqlite3_finalize: Call<[statement: Handle]>
  readonly sqlite3_clear_bindings: Call<[statement: Handle]>
  readonly sqlite3_bind_blob: Call<[statement: Handle, index: number, data: Pointer, length: number, destructor: number]>
  readonly sqlite3_bind_double: Call<[statement: Handle, index: number, value: number]>
  readonly sqlite3_bind_int: Call<[statement: Handle, index: number, value: number]>
  readonly sqlite3_bind_text: Call<[statement: Handle, index: number, text: Pointer, length: number, destructor: number]>
  readonly sqlite3_column_count: Call<[statement: Handle]>
  readonly sqlite3_column_name: Call<[statement: Handle, column: number]>
  readonly sqlite3_sql: Call<[statement: Handle]>
  readonly sqlite3_value_text: Call<[value: Pointer]>
  readonly sqlite3_value_blob: Call<[value: Pointer]>
  readonly sqlite3_value_bytes: Call<[value: Pointer]>
  readonly sqlite3_result_blob: (context: Pointer, data: Pointer, length: number, destructor: number) => void
  readonly sqlite3_result_double: (context: Pointer, value: number) => void
  readonly sqlite3_result_error: (context: Pointer, message: Pointer, length: number) => void
  readonly sqlite3_result_int64: (context: Pointer, value: bigint) => void
  readonly sqlite3_result_null: (context: Pointer) => void
  readonly sqlite3_result_text: (context: Pointer, text: Pointer, length: number, destructor: number) => void
  readonly sqlite3_aggregate_context: Call<[context: Pointer, length: number]>
  readonly sqlite3_create_function_v2: Call<[database: Handle, name: Pointer, ...definition: FunctionDefinition]>
  readonly sqlite3_backup_init: Call<[target: Handle, targetName: Pointer, source: Handle, sourceName: Pointer]>
  readonly sqlite3_backup_step: Call<[backup: Handle, pages: number]>
  readonly sqlite3_backup_finish: Call<[backup: Handle]>
}

/** `SQLITE_TRANSIENT`: SQLite copies the bytes before it returns. */
export const SQLITE_TRANSIENT = -1

const i32 = 0x7f

/** Wraps a JavaScript function as a WebAssembly function, using the smallest module that imports and exports it. */
const wasmFunction = (signature: string, called: (...parameters: never[]) => unknown): unknown => {
  const parameters = new Array<number>(signature.length - 1).fill(i32)
  const results = signature.startsWith("v") ? [] : [i32]
  const type = [1, 0x60, parameters.length, ...parameters, results.length, ...results]
  const module = new WebAssembly.Module(
    // Magic and version; type section; import "e"."f" of type 0; export "f".
    Uint8Array.of(
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, type.length, ...type],
      ...[2, 7, 1, 1, 0x65, 1, 0x66, 0, 0],
      ...[7, 5, 1, 1, 0x66, 0, 0],
    ),
  )
  const { f } = new WebAssembly.Instance(module, { e: { f: called } }).exports
  return f
}

/** The error for every call after a call that did not complete. */
const stopped = (cause: unknown): Error =>
  Object.assign(
    invalidState(
      "SQLite was stopped in the middle of a call, and its unfinished work is lost. Close this database and open it again.",
    ),
    { cause },
  )

/** For calls that may lock a file, run callbacks, and recurse as deeply as the SQL is nested. Measured: 250 KiB of stack. */
const deepFrames = 30
/** For calls before or after deep calls. */
const shallowFrames = 6
/** The frames to reserve, as `stackReserve` counts them. All other calls are made by callbacks, within the reserved stack. */
const framesOf: Readonly<Record<string, number>> = {
  emscripten_builtin_memalign: shallowFrames,
  malloc: shallowFrames,
  sqlite3_backup_finish: shallowFrames,
  sqlite3_backup_init: shallowFrames,
  sqlite3_backup_step: deepFrames,
  sqlite3_clear_bindings: shallowFrames,
  sqlite3_close_v2: shallowFrames,
  sqlite3_create_function_v2: shallowFrames,
  sqlite3_exec: deepFrames,
  sqlite3_finalize: shallowFrames,
  sqlite3_open: shallowFrames,
  sqlite3_prepare_v2: deepFrames,
  sqlite3_reset: shallowFrames,
  sqlite3_step: deepFrames,
}

/** Longer buffers are freed instead of being kept as scratch memory. */
const largestScratch = 65_536

export class Engine {
  readonly memory: Memory
  readonly call: Exports
  readonly system: SystemCalls
  readonly #reserve = stackReserve()
  #stopped: { readonly cause: unknown } | undefined
  #scratchPointer = 0

  constructor() {
    this.system = systemCalls(
      () => this.memory,
      (length) => this.#allocatePages(length),
    )
    compiled ??= compile()
    const { exports } = new WebAssembly.Instance(compiled, this.system.imports)
    const guarded = Object.entries(exports).map(([name, value]) => [name, isCallable(value) ? this.#guard(name, value) : value])
    // Safe: the binary's hash was checked, so these are its exports.
    this.call = Object.fromEntries(guarded) as unknown as Exports
    this.memory = new Memory(this.call.memory)
    this.call.emscripten_stack_init()
    this.call.__set_stack_limits(this.call.emscripten_stack_get_base(), this.call.emscripten_stack_get_end())
    this.call.__wasm_call_ctors()
    this.memory.bytes[openUriAddress] = 1
    // With 64 KiB pages, SQLite would map two of its 32 KiB blocks at a time and unmap them individually, which libc refuses.
    this.memory.setInt(
      pageSizeCallAddress,
      this.functionPointer("i", () => 32_768),
    )
  }

  /** Whether a call into SQLite was interrupted. After an interruption, this instance is never called again. */
  get hasStopped(): boolean {
    return this.#stopped !== undefined
  }

  requireRunning(): void {
    if (this.#stopped !== undefined) throw stopped(this.#stopped.cause)
  }

  /**
   * Stops this instance, because an incomplete change in its memory must not reach a file. Closes its files and releases their
   * locks, so that the next process or thread that opens them rolls back. Databases that are opened later use a new instance.
   */
  stop(cause: unknown): void {
    this.#stopped ??= { cause }
    this.system.closeAll()
    if (loaded === this) loaded = undefined
  }

  /** Throws RangeError before a call that may overflow the stack. Refuses every call after a call that threw an exception. */
  #guard(name: string, call: Callable): Callable {
    const frames = framesOf[name]
    return (...parameters) => {
      this.requireRunning()
      if (frames !== undefined) this.#reserve(frames)
      if (frames === deepFrames) this.system.takeRefusal()
      try {
        return call(...parameters)
      } catch (cause) {
        this.stop(cause)
        throw stopped(cause)
      }
    }
  }

  /** Makes a function callable from C. `signature`: i (32 bits) or v (nothing) for the result, then an i for each parameter. */
  functionPointer(signature: string, called: (...parameters: never[]) => unknown): number {
    const table = this.call.__indirect_function_table
    const index = table.grow(1)
    const callBack = (...parameters: never[]) => {
      const answer = callingBack(() => called(...parameters))
      // If a call inside the callback was abandoned, SQLite must not continue.
      this.requireRunning()
      return answer
    }
    table.set(index, wasmFunction(signature, callBack))
    return index
  }

  /** Lends at least `length` bytes for data that SQLite copies immediately. Throws SQLITE_NOMEM if memory is exhausted. */
  #lendScratch<A>(length: number, use: (pointer: number) => A): A {
    if (length <= largestScratch) {
      if (this.#scratchPointer === 0) this.#scratchPointer = this.allocate(largestScratch)
      return use(this.#scratchPointer)
    }
    return this.#lend(length, use)
  }

  /** Lends a copy of bytes, which SQLite copies immediately. The pointer to no bytes is not null, which would mean NULL. */
  withBytes<A>(bytes: Uint8Array, use: (pointer: number, length: number) => A): A {
    return this.#lendScratch(bytes.length + 1, (pointer) => {
      this.memory.bytes.set(bytes, pointer)
      return use(pointer, bytes.length)
    })
  }

  /** Like `withBytes`, but with text in UTF-8, and its length in bytes. */
  withUtf8<A>(text: string, use: (pointer: number, length: number) => A): A {
    const most = text.length * 3 + 1
    const needed = most <= largestScratch ? most : Buffer.byteLength(text) + 1
    return this.#lendScratch(needed, (pointer) => use(pointer, this.memory.bytes.write(text, pointer)))
  }

  #lend<A>(length: number, use: (pointer: number) => A): A {
    const pointer = this.allocate(length)
    try {
      return use(pointer)
    } finally {
      this.call.free(pointer)
    }
  }

  /** Allocates memory, which the caller frees with `call.free`. Throws SQLITE_NOMEM if memory is exhausted. */
  allocate(length: number): number {
    // A length of more than 32 bits would be truncated to fewer bytes.
    const pointer = length <= 0x7fffffff ? this.call.malloc(length) : 0
    if (pointer === 0) throw sqliteError(SQLITE_NOMEM)
    return pointer
  }

  #allocatePages(length: number): number {
    const pointer = this.call.emscripten_builtin_memalign(65536, length)
    if (pointer !== 0) this.memory.bytes.fill(0, pointer, pointer + length)
    return pointer
  }

  /** Lends a C string and its length in bytes, not counting the terminating NUL. */
  withText<A>(text: string, use: (pointer: number, length: number) => A): A {
    const length = Buffer.byteLength(text)
    return this.#lend(length + 1, (pointer) => {
      this.memory.bytes.write(text, pointer)
      this.memory.bytes[pointer + length] = 0
      return use(pointer, length)
    })
  }

  /** Lends a zeroed cell of 4 bytes that C fills with a pointer. */
  withResult<A>(use: (cell: number) => A): A {
    return this.#lend(8, (cell) => {
      this.memory.setInt(cell, 0)
      return use(cell)
    })
  }
}

let given: Uint8Array | undefined

/**
 * Sets the binary, for a program that is bundled into one file, where the package cannot find the binary. Call this before the
 * first database is opened.
 *
 * @param bytes the bytes of `@petstore/sqljs/sql-wasm-debug.wasm`
 */
export const useBinary = (bytes: Uint8Array): void => {
  given = bytes
}

const readBinary = (path: URL): Uint8Array => {
  try {
    return readFileSync(path)
  } catch (cause) {
    const remedy = "In a bundle, first pass the bytes of @petstore/sqljs/sql-wasm-debug.wasm to useBinary."
    throw new Error(`@petstore/sqljs cannot read its binary at ${path}. ${remedy}`, { cause })
  }
}

const compile = (): WebAssembly.Module => {
  // This is the same file whether this module runs from the published `dist` or from the sources.
  const path = new URL(`../dist/${binaryName}`, import.meta.url)
  const binary = new Uint8Array(given ?? readBinary(path))
  const hash = createHash("sha256").update(binary).digest("hex")
  if (hash !== pinnedHash) {
    throw new Error(
      `@petstore/sqljs refuses to run: ${given === undefined ? path : "the argument of useBinary"} is not the sql.js 1.16.0 binary that it was built for (SHA-256 ${hash}, expected ${pinnedHash}).`,
    )
  }
  return new WebAssembly.Module(binary)
}

let compiled: WebAssembly.Module | undefined
let loaded: Engine | undefined

onAbandoned(() => loaded?.stop(new Error("V8 terminated the call, for example because of a timeout or Ctrl-C")))

/** This thread's engine, created at its first use. Throws if the binary is not the pinned one, before anything is opened. */
export const engine = (): Engine => {
  loaded ??= new Engine()
  return loaded
}
