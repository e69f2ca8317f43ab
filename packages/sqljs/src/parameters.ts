/** Binds the arguments of `run`, `get`, `all` and `iterate` to a statement's parameters. */
import { isAnyArrayBuffer } from "node:util/types"
import type { Connection } from "./connection.js"
import { SQLITE_TRANSIENT } from "./engine.js"
import { invalidArgumentType, invalidArgumentValue, invalidState } from "./errors.js"
import { isObject, type Options } from "./options.js"
import { value as cell, statement as fields } from "./structures.js"

export const fitsInteger = (value: bigint) => BigInt.asIntN(64, value) === value

/** Bytes that can be bound as a BLOB. */
type Bytes = ArrayBufferView | ArrayBuffer | SharedArrayBuffer

export const isBytes = (value: unknown): value is Bytes => ArrayBuffer.isView(value) || isAnyArrayBuffer(value)

export const bytesOf = (value: Bytes): Uint8Array =>
  ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value)

/** Whether the first argument is an object whose members are named parameters. */
const isNamed = (value: unknown): value is Options => isObject(value) && !isBytes(value)

export class Parameters {
  readonly #connection: Connection
  readonly #handle: number
  readonly count: number
  /** The indexes by full name (`:a`, `$a`, `@a`, `?1`), as in `sqlite3_bind_parameter_index`. */
  readonly names = new Map<string, number>()
  #bareNames: Map<string, string> | undefined
  readonly #anonymous: readonly boolean[]

  constructor(connection: Connection, handle: number) {
    this.#connection = connection
    this.#handle = handle
    const { memory } = connection.engine
    this.count = memory.int(handle + fields.variableCount) & 0xffff
    const anonymous = new Array<boolean>(this.count + 1).fill(true)
    const list = memory.int(handle + fields.variableNames)
    // The names are in a VList of ints: the allocated length, the used length, then entries of [index, entry length, name].
    const used = list === 0 ? 0 : memory.int(list + 4)
    for (let at = 2; at < used; at += memory.int(list + at * 4 + 4)) {
      const index = memory.int(list + at * 4)
      const name = memory.text(list + at * 4 + 8)
      this.names.set(name, this.names.get(name) ?? index)
      anonymous[index] = name.startsWith("?")
    }
    this.#anonymous = anonymous
  }

  /** Replaces all bindings. A first argument with named parameters is optional. The anonymous parameters are bound in order. */
  bindAll(values: readonly unknown[], allowBareNames: boolean, allowUnknownNames: boolean): void {
    const { engine } = this.#connection
    if (this.count > 0) this.#connection.check(engine.call.sqlite3_clear_bindings(this.#handle))
    const [first] = values
    const named = isNamed(first)
    if (named) this.#bindNamed(first, allowBareNames, allowUnknownNames)
    let index = 1
    for (let at = named ? 1 : 0; at < values.length; at++) {
      while (this.#anonymous[index] === false) index++
      this.bind(index, values[at])
      index++
    }
  }

  bindInOrder(values: readonly unknown[]): void {
    for (const [at, value] of values.entries()) this.bind(at + 1, value)
  }

  #bindNamed(values: Options, allowBareNames: boolean, allowUnknownNames: boolean): void {
    const bare = allowBareNames ? this.#bare() : undefined
    for (const name of Object.keys(values)) {
      const index = this.names.get(name) ?? this.names.get(bare?.get(name) ?? "")
      if (index !== undefined) this.bind(index, values[name])
      else if (!allowUnknownNames) throw invalidState(`Unknown named parameter '${name}'`)
    }
  }

  #bare(): Map<string, string> {
    if (this.#bareNames !== undefined) return this.#bareNames
    const bareNames = new Map<string, string>()
    for (const [full] of [...this.names].sort(([, one], [, other]) => one - other)) {
      const bare = full.slice(1)
      const existing = bareNames.get(bare)
      if (existing !== undefined) {
        throw invalidState(
          `Cannot create bare named parameter '${bare}' because of conflicting names '${existing}' and '${full}'.`,
        )
      }
      bareNames.set(bare, full)
    }
    this.#bareNames = bareNames
    return bareNames
  }

  /** Binds a value at an index, which starts at 1. Numbers are bound as REAL and BigInts as INTEGER, as in Node.js. */
  bind(index: number, value: unknown): void {
    const { engine } = this.#connection
    const { call, memory } = engine
    let code: number
    if (typeof value === "number") {
      code = call.sqlite3_bind_double(this.#handle, index, value)
    } else if (typeof value === "string") {
      code = engine.withUtf8(value, (pointer, length) =>
        call.sqlite3_bind_text(this.#handle, index, pointer, length, SQLITE_TRANSIENT),
      )
    } else if (value === null) {
      // A null pointer binds NULL.
      code = call.sqlite3_bind_text(this.#handle, index, 0, 0, 0)
    } else if (isBytes(value)) {
      code = engine.withBytes(bytesOf(value), (pointer, length) =>
        call.sqlite3_bind_blob(this.#handle, index, pointer, length, SQLITE_TRANSIENT),
      )
    } else if (typeof value === "boolean") {
      code = call.sqlite3_bind_int(this.#handle, index, Number(value))
    } else if (typeof value === "bigint") {
      if (!fitsInteger(value)) throw invalidArgumentValue("BigInt value is too large to bind.")
      code = call.sqlite3_bind_int(this.#handle, index, 0)
      // The binary has no bind_int64, so the 64 bits are written into the INTEGER cell that bind_int created.
      if (code === 0) memory.setLong(memory.int(this.#handle + fields.variables) + (index - 1) * cell.size, value)
    } else {
      throw invalidArgumentType(`Provided value cannot be bound to SQLite parameter ${index}.`)
    }
    this.#connection.check(code)
  }
}
