/**
 * SQL functions and aggregates written in JavaScript.
 *
 * A few C functions serve all connections. SQLite stores a number with each SQL function, which identifies the JavaScript
 * function. An entry is removed when SQLite drops the function, so that no function keeps a database alive.
 */
import { isPromise } from "node:util/types"
import type { Connection } from "./connection.js"
import { type Engine, SQLITE_TRANSIENT } from "./engine.js"
import { errorString, SQLITE_NOMEM, sqliteError } from "./errors.js"
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
  readonly call: Callable | undefined
  readonly aggregate: AggregateCallbacks | undefined
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
  readonly #scalar: number
  readonly #step: number
  readonly #inverse: number
  readonly #final: number
  readonly #value: number
  readonly #destroy: number

  constructor(engine: Engine) {
    this.#engine = engine
    const withArguments = (run: (registration: Registration, context: number, parameters: unknown[]) => void) =>
      engine.functionPointer("viii", (context: number, count: number, values: number) =>
        this.#guard(context, (registration) => {
          const parameters = Array.from({ length: count }, (_, index) =>
            readValue(engine, engine.memory.int(values + index * 4), registration.readBigInts),
          )
          run(registration, context, parameters)
        }),
      )
    this.#scalar = withArguments(({ call }, context, parameters) => this.#answer(context, call?.(...parameters)))
    const stepper = (pick: (callbacks: AggregateCallbacks) => Callable | undefined) =>
      withArguments(({ aggregate }, context, parameters) => {
        if (aggregate === undefined) return
        const state = this.#stateOf(context, aggregate)
        state.value = pick(aggregate)?.(state.value, ...parameters)
      })
    this.#step = stepper(({ step }) => step)
    this.#inverse = stepper(({ inverse }) => inverse)
    this.#final = engine.functionPointer("vi", (context: number) => {
      this.#guard(context, ({ aggregate }) => this.#finish(context, aggregate, true))
      // SQLite also calls this function after an aggregate has failed.
      const state = engine.call.sqlite3_aggregate_context(context, 0)
      if (state !== 0) this.#running.delete(engine.memory.int(state))
    })
    this.#value = engine.functionPointer("vi", (context: number) =>
      this.#guard(context, ({ aggregate }) => this.#finish(context, aggregate, false)),
    )
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
    connection.callbackDepth++
    try {
      if (connection.callbackDepth > deepestNesting) throw new RangeError("Functions call each other through SQL too deeply")
      if (connection.hasThrown) this.#failSilently(context)
      else run(registration)
    } catch (thrown) {
      connection.keepThrown(thrown)
      this.#failSilently(context)
    } finally {
      connection.callbackDepth--
    }
  }

  /** The error itself is stored in the connection. The message is empty, because memory may be exhausted. */
  #failSilently(context: number): void {
    this.#engine.call.sqlite3_result_error(context, 0, 0)
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
    if (at === 0) throw sqliteError(SQLITE_NOMEM, errorString(SQLITE_NOMEM))
    const running = this.#running.get(memory.int(at))
    if (running !== undefined) return running
    const state = { value: typeof start === "function" ? start.call(null) : start, isWindow: false }
    const id = this.#next++
    memory.setInt(at, id)
    this.#running.set(id, state)
    return state
  }

  /** xFinal and xValue. After xValue, xFinal only cleans up, because the last value was already returned. */
  #finish(context: number, aggregate: AggregateCallbacks | undefined, isFinal: boolean): void {
    if (aggregate === undefined) return
    const state = this.#stateOf(context, aggregate)
    if (!isFinal) state.isWindow = true
    else if (state.isWindow) return
    this.#answer(context, aggregate.result === undefined ? state.value : aggregate.result.call(null, state.value))
  }

  #create(connection: Connection, name: string, count: number, flags: number, registration: Registration): number {
    const id = this.#next++
    this.#registered.set(id, registration)
    const isAggregate = registration.aggregate !== undefined
    const code = this.#engine.withText(name, (pointer) =>
      this.#engine.call.sqlite3_create_function_v2(
        connection.handle,
        pointer,
        count,
        SQLITE_UTF8 | flags,
        id,
        isAggregate ? 0 : this.#scalar,
        isAggregate ? this.#step : 0,
        isAggregate ? this.#final : 0,
        this.#destroy,
      ),
    )
    connection.check(code)
    return id
  }

  defineFunction(
    connection: Connection,
    name: string,
    count: number,
    options: { readBigInts: boolean; deterministic: boolean; directOnly: boolean },
    call: Callable,
  ): void {
    const flags = (options.deterministic ? SQLITE_DETERMINISTIC : 0) | (options.directOnly ? SQLITE_DIRECTONLY : 0)
    this.#create(connection, name, count, flags, {
      connection: new WeakRef(connection),
      readBigInts: options.readBigInts,
      call,
      aggregate: undefined,
    })
  }

  defineAggregate(
    connection: Connection,
    name: string,
    count: number,
    options: { readBigInts: boolean; directOnly: boolean },
    aggregate: AggregateCallbacks,
  ): void {
    const id = this.#create(connection, name, count, options.directOnly ? SQLITE_DIRECTONLY : 0, {
      connection: new WeakRef(connection),
      readBigInts: options.readBigInts,
      call: undefined,
      aggregate,
    })
    if (aggregate.inverse !== undefined) this.#makeWindow(connection, id)
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
