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

/** Creates the C functions of an engine. Returns the function that defines SQL functions on its connections. */
const createDefiner = (engine: Engine) => {
  const { call, memory } = engine
  const registered = new Map<number, Registration>()
  /** Values of running aggregates, by the number in their aggregate context. */
  const running = new Map<number, { value: unknown; isWindow: boolean }>()
  let next = 1

  /** Runs a callback. The callback's error is stored in the connection, because it must not pass through WebAssembly. */
  const guard = (context: number, run: (registration: Registration) => void): void => {
    const registration = registered.get(memory.int(memory.int(context + contextFields.definition) + fields.userData))
    const connection = registration?.connection.deref()
    if (registration === undefined || connection === undefined) return
    connection.runCallback(
      () => {
        if (connection.callbackDepth > deepestNesting) throw new RangeError("Functions call each other through SQL too deeply")
        run(registration)
      },
      // The message is empty, because memory may be exhausted.
      () => call.sqlite3_result_error(context, 0, 0),
    )
  }

  const fail = (context: number, message: string): void =>
    engine.withText(message, (pointer, length) => call.sqlite3_result_error(context, pointer, length))

  const answer = (context: number, value: unknown): void => {
    if (value === null || value === undefined) {
      call.sqlite3_result_null(context)
    } else if (typeof value === "number") {
      call.sqlite3_result_double(context, value)
    } else if (typeof value === "string") {
      engine.withUtf8(value, (pointer, length) => call.sqlite3_result_text(context, pointer, length, SQLITE_TRANSIENT))
    } else if (isBytes(value)) {
      engine.withBytes(bytesOf(value), (pointer, length) => call.sqlite3_result_blob(context, pointer, length, SQLITE_TRANSIENT))
    } else if (typeof value === "bigint") {
      if (fitsInteger(value)) call.sqlite3_result_int64(context, value)
      else fail(context, "BigInt value is too large for SQLite")
    } else if (isPromise(value)) {
      fail(context, "Asynchronous user-defined functions are not supported")
    } else {
      fail(context, "Returned JavaScript value cannot be converted to a SQLite value")
    }
  }

  const stateOf = (context: number, { start }: AggregateCallbacks): { value: unknown; isWindow: boolean } => {
    const at = call.sqlite3_aggregate_context(context, 8)
    if (at === 0) throw sqliteError(SQLITE_NOMEM)
    const known = running.get(memory.int(at))
    if (known !== undefined) return known
    const state = { value: typeof start === "function" ? start.call(null) : start, isWindow: false }
    const id = next++
    memory.setInt(at, id)
    running.set(id, state)
    return state
  }

  /** xFinal and xValue. After xValue, xFinal only cleans up, because the last value was already returned. */
  const finish = (context: number, isFinal: boolean): void =>
    guard(context, ({ implementation }) => {
      if (typeof implementation === "function") return
      const state = stateOf(context, implementation)
      if (!isFinal) state.isWindow = true
      else if (state.isWindow) return
      const { result } = implementation
      answer(context, result === undefined ? state.value : result.call(null, state.value))
    })

  const stepper = (kind: "step" | "inverse") =>
    engine.functionPointer("viii", (context: number, count: number, values: number) =>
      guard(context, ({ readBigInts, implementation }) => {
        const parameters = Array.from({ length: count }, (_, index) =>
          readValue(engine, memory.int(values + index * 4), readBigInts),
        )
        if (typeof implementation === "function") return answer(context, implementation(...parameters))
        const state = stateOf(context, implementation)
        state.value = implementation[kind]?.call(undefined, state.value, ...parameters)
      }),
    )
  /** Also runs functions that are not aggregates. */
  const xStep = stepper("step")
  const xInverse = stepper("inverse")
  const xFinal = engine.functionPointer("vi", (context: number) => {
    finish(context, true)
    // SQLite also calls this function after an aggregate has failed.
    const state = call.sqlite3_aggregate_context(context, 0)
    if (state !== 0) running.delete(memory.int(state))
  })
  const xValue = engine.functionPointer("vi", (context: number) => finish(context, false))
  const xDestroy = engine.functionPointer("vi", (id: number) => {
    registered.delete(id)
  })

  /** @param count the number of the SQL function's arguments; any number if it is -1 */
  return (
    connection: Connection,
    name: string,
    count: number,
    { readBigInts, deterministic, directOnly }: Record<"readBigInts" | "deterministic" | "directOnly", boolean>,
    implementation: Callable | AggregateCallbacks,
  ): void => {
    const id = next++
    registered.set(id, { connection: new WeakRef(connection), readBigInts, implementation })
    const flags = SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0) | (directOnly ? SQLITE_DIRECTONLY : 0)
    const isAggregate = typeof implementation !== "function"
    const [xFunction, step, final] = isAggregate ? [0, xStep, xFinal] : [xStep, 0, 0]
    const code = engine.withText(name, (at) =>
      call.sqlite3_create_function_v2(connection.handle, at, count, flags, id, xFunction, step, final, xDestroy),
    )
    connection.check(code)
    if (!isAggregate || implementation.inverse === undefined) return
    // The binary has no create_window_function, so the two missing callbacks are added to the new definition.
    for (const at of functionsOf(connection)) {
      if (memory.int(at + fields.userData) !== id || memory.int(at + fields.step) !== xStep) continue
      memory.setInt(at + fields.value, xValue)
      memory.setInt(at + fields.inverse, xInverse)
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

const definers = new WeakMap<Engine, ReturnType<typeof createDefiner>>()

/** The function that defines SQL functions on the connections of an engine. */
export const definerOf = (engine: Engine) => {
  const define = definers.get(engine) ?? createDefiner(engine)
  definers.set(engine, define)
  return define
}
