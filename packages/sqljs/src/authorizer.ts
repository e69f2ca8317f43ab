/** The authorizer, a function that SQLite calls for every action of a statement while it prepares the statement. */
import type { Authorizer, Connection } from "./connection.js"
import { constants } from "./constants.js"
import type { Engine } from "./engine.js"
import { database as fields } from "./structures.js"

const { SQLITE_DENY, SQLITE_IGNORE, SQLITE_READ } = constants

interface Table {
  readonly pointer: number
  readonly connections: Map<number, WeakRef<Connection>>
}

/** One C function for all connections; its first argument is the connection's handle. */
const table = (engine: Engine): Table => {
  const { memory } = engine
  const connections = new Map<number, WeakRef<Connection>>()
  const text = (pointer: number) => (pointer === 0 ? null : memory.text(pointer))
  const ask = (handle: number, action: number, one: number, two: number, three: number, four: number): number => {
    const connection = connections.get(handle)?.deref()
    if (connection?.authorizer === undefined || connection.hasThrown) return SQLITE_DENY
    connection.callbackDepth++
    try {
      const answer = connection.authorizer.call(undefined, action, text(one), text(two), text(three), text(four))
      if (typeof answer !== "number" || (answer | 0) !== answer) {
        throw new TypeError("Authorizer callback must return an integer authorization code")
      }
      if (answer < 0 || answer > SQLITE_IGNORE) {
        throw new RangeError("Authorizer callback returned a invalid authorization code")
      }
      return answer
    } catch (thrown) {
      connection.keepThrown(thrown)
      return SQLITE_DENY
    } finally {
      connection.callbackDepth--
    }
  }
  return { pointer: engine.functionPointer("iiiiiii", ask), connections }
}

const tables = new WeakMap<Engine, Table>()

/** Sets or clears (`undefined`) the authorizer of a connection. If it sets one, SQLite prepares existing statements again. */
export const setAuthorizer = (connection: Connection, authorizer: Authorizer | undefined): void => {
  const { engine, handle } = connection
  const { pointer, connections } = tables.get(engine) ?? table(engine)
  if (!tables.has(engine)) tables.set(engine, { pointer, connections })
  connection.authorizer = authorizer
  if (authorizer !== undefined) connection.authorizerCount++
  if (authorizer === undefined) connections.delete(handle)
  else connections.set(handle, new WeakRef(connection))
  engine.memory.setInt(handle + fields.authorizer, authorizer === undefined ? 0 : pointer)
  engine.memory.setInt(handle + fields.authorizerArgument, authorizer === undefined ? 0 : handle)
  if (authorizer !== undefined) connection.expireStatements()
}

/** Called for every column that a statement reads, while the statement is being prepared. */
type ColumnReader = (column: string | null, table: string | null, database: string | null) => unknown

const readers = new WeakMap<Engine, { readonly pointer: number; current: ColumnReader | undefined }>()

/** Runs a function with `reader` as the authorizer. Call it within `connection.unauthorized`, which restores the authorizer. */
export const listening =
  ({ engine, handle }: Connection, reader: ColumnReader) =>
  <A>(use: () => A): A => {
    const { memory } = engine
    const text = (pointer: number) => (pointer === 0 ? null : memory.text(pointer))
    const known = readers.get(engine) ?? {
      pointer: engine.functionPointer("iiiiiii", (_: number, action: number, one: number, two: number, three: number) => {
        if (action === SQLITE_READ) readers.get(engine)?.current?.(text(two), text(one), text(three))
        return 0
      }),
      current: undefined,
    }
    readers.set(engine, known)
    known.current = reader
    memory.setInt(handle + fields.authorizer, known.pointer)
    try {
      return use()
    } finally {
      memory.setInt(handle + fields.authorizer, 0)
      known.current = undefined
    }
  }
