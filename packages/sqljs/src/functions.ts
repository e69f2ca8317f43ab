/**
 * SQL functions and aggregates written in JavaScript. A few C functions serve all connections. SQLite stores a number with
 * each SQL function, which identifies the JavaScript function. An entry is removed when SQLite drops the function, so that no
 * function keeps a database alive.
 */
import { isPromise } from "node:util/types"
import type { Connection } from "./connection.js"
import { type Engine, SQLITE_TRANSIENT } from "./engine.js"
import { SQLITE_NOMEM, sqliteError } from "./errors.js"
import { hashValues } from "./memory.js"
import type { Callable } from "./options.js"
import { bytesOf, fitsInteger, isBytes } from "./parameters.js"
import { context as contextFields, database as databaseFields, functionDefinition as fields } from "./structures.js"
import { readValue } from "./values.js"

interface AggregateCallbacks {
  readonly start: unknown
  readonly step: Callable
  readonly inverse: Callable | undefined
  readonly result: Callable | undefined
}

interface Registration {
  readonly connection: WeakRef<Connection>
  readonly readBigInts: boolean
  readonly implementation: Callable | AggregateCallbacks
}

/** Flags of `sqlite3_create_function_v2`. */
const SQLITE_UTF8 = 1
const SQLITE_DETERMINISTIC = 0x800
const SQLITE_DIRECTONLY = 0x80000

/** The maximum depth of statements inside functions inside statements: far below the stack's limit, and more than is needed. */
const deepestNesting = 100

class FunctionTable {
  readonly #engine: Engine
  readonly #registered = new Map<number, Registration>()
  /** Values of running aggregates, by the number in their aggregate context. */
  readonly #running = new Map<number, { value: unknown; isWindow: boolean }>()
  #next = 1
  /** Also runs functions that are not aggregates. */
  readonly #step: number
  readonly #inverse: number
  readonly #final: number
  readonly #value: number
  readonly #destroy: number

  constructor(engine: Engine) {
    this.#engine = engine
    const stepper = (kind: "step" | "inverse") =>
      engine.functionPointer("viii", (context: number, count: number, values: number) =>
        this.#guard(context, ({ readBigInts, implementation }) => {
          const parameters = Array.from({ length: count }, (_, index) =>
            readValue(engine, engine.memory.int(values + index * 4), readBigInts),
          )
          if (typeof implementation === "function") return this.#answer(context, implementation(...parameters))
          const state = this.#stateOf(context, implementation)
          state.value = implementation[kind]?.call(undefined, state.value, ...parameters)
        }),
      )
    this.#step = stepper("step")
    this.#inverse = stepper("inverse")
    this.#final = engine.functionPointer("vi", (context: number) => {
      this.#finish(context, true)
      // SQLite also calls this function after an aggregate has failed.
      const state = engine.call.sqlite3_aggregate_context(context, 0)
      if (state !== 0) this.#running.delete(engine.memory.int(state))
    })
    this.#value = engine.functionPointer("vi", (context: number) => this.#finish(context, false))
    this.#destroy = engine.functionPointer("vi", (id: number) => {
      this.#registered.delete(id)
    })
  }

  /** Runs a callback. The callback's error is stored in the connection, because it must not pass through WebAssembly. */
  #guard(context: number, run: (registration: Registration) => void): void {
    const { memory } = this.#engine
    const registration = this.#registered.get(memory.int(memory.int(context + contextFields.definition) + fields.userData))
    const connection = registration?.connection.deref()
    if (registration === undefined || connection === undefined) return
    connection.runCallback(
      () => {
        if (connection.callbackDepth > deepestNesting) throw new RangeError("Functions call each other through SQL too deeply")
        run(registration)
      },
      // The message is empty, because memory may be exhausted.
      () => this.#engine.call.sqlite3_result_error(context, 0, 0),
    )
  }

  #fail(context: number, message: string): void {
    this.#engine.withText(message, (pointer, length) => this.#engine.call.sqlite3_result_error(context, pointer, length))
  }

  #answer(context: number, value: unknown): void {
    const { call, memory } = this.#engine
    if (value === null || value === undefined) {
      call.sqlite3_result_null(context)
    } else if (typeof value === "number") {
      call.sqlite3_result_double(context, value)
    } else if (typeof value === "string") {
      this.#engine.withUtf8(value, (pointer, length) => call.sqlite3_result_text(context, pointer, length, SQLITE_TRANSIENT))
    } else if (isBytes(value)) {
      const bytes = bytesOf(value)
      this.#engine.withBytes(bytes.length + 1, (pointer) => {
        memory.bytes.set(bytes, pointer)
        call.sqlite3_result_blob(context, pointer, bytes.length, SQLITE_TRANSIENT)
      })
    } else if (typeof value === "bigint") {
      if (fitsInteger(value)) call.sqlite3_result_int64(context, value)
      else this.#fail(context, "BigInt value is too large for SQLite")
    } else if (isPromise(value)) {
      this.#fail(context, "Asynchronous user-defined functions are not supported")
    } else {
      this.#fail(context, "Returned JavaScript value cannot be converted to a SQLite value")
    }
  }

  #stateOf(context: number, { start }: AggregateCallbacks): { value: unknown; isWindow: boolean } {
    const { memory, call } = this.#engine
    const at = call.sqlite3_aggregate_context(context, 8)
    if (at === 0) throw sqliteError(SQLITE_NOMEM)
    const running = this.#running.get(memory.int(at))
    if (running !== undefined) return running
    const state = { value: typeof start === "function" ? start.call(null) : start, isWindow: false }
    const id = this.#next++
    memory.setInt(at, id)
    this.#running.set(id, state)
    return state
  }

  /** xFinal and xValue. After xValue, xFinal only cleans up, because the last value was already returned. */
  #finish(context: number, isFinal: boolean): void {
    this.#guard(context, ({ implementation }) => {
      if (typeof implementation === "function") return
      const state = this.#stateOf(context, implementation)
      if (!isFinal) state.isWindow = true
      else if (state.isWindow) return
      const { result } = implementation
      this.#answer(context, result === undefined ? state.value : result.call(null, state.value))
    })
  }

  /** @param count the number of the SQL function's arguments; any number if it is -1 */
  define(
    connection: Connection,
    name: string,
    count: number,
    { readBigInts, deterministic, directOnly }: Record<"readBigInts" | "deterministic" | "directOnly", boolean>,
    implementation: Callable | AggregateCallbacks,
  ): void {
    const id = this.#next++
    this.#registered.set(id, { connection: new WeakRef(connection), readBigInts, implementation })
    const flags = SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0) | (directOnly ? SQLITE_DIRECTONLY : 0)
    const isAggregate = typeof implementation !== "function"
    const [call, step, final] = isAggregate ? [0, this.#step, this.#final] : [this.#step, 0, 0]
    const code = this.#engine.withText(name, (at) =>
      this.#engine.call.sqlite3_create_function_v2(connection.handle, at, count, flags, id, call, step, final, this.#destroy),
    )
    connection.check(code)
    if (isAggregate && implementation.inverse !== undefined) this.#makeWindow(connection, id)
  }

  /** The binary has no create_window_function, so this method adds the two missing callbacks to the new definition. */
  #makeWindow(connection: Connection, id: number): void {
    const { memory } = this.#engine
    for (const at of functionsOf(connection)) {
      if (memory.int(at + fields.userData) !== id || memory.int(at + fields.step) !== this.#step) continue
      memory.setInt(at + fields.value, this.#value)
      memory.setInt(at + fields.inverse, this.#inverse)
    }
  }
}

/** A connection's functions; functions with the same name are adjacent. */
export const functionsOf = ({ engine: { memory }, handle }: Connection): readonly number[] =>
  hashValues(memory, handle + databaseFields.functions).flatMap((first) => {
    const named: number[] = []
    for (let at = first; at !== 0; at = memory.int(at + fields.next)) named.push(at)
    return named
  })

const tables = new WeakMap<Engine, FunctionTable>()

export const functionTable = (engine: Engine): FunctionTable => {
  const table = tables.get(engine) ?? new FunctionTable(engine)
  tables.set(engine, table)
  return table
}
