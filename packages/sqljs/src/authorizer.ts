/** The authorizer, a function that SQLite calls for every action of a statement while it prepares the statement. */
import type { Authorizer, Connection } from "./connection.js"
import { constants } from "./constants.js"
import type { Engine } from "./engine.js"
import { database as fields } from "./structures.js"

const { SQLITE_DENY, SQLITE_IGNORE, SQLITE_OK, SQLITE_READ } = constants

/** One C function for all connections; its first argument is the connection's handle. */
const table = (engine: Engine) => {
  const connections = new Map<number, WeakRef<Connection>>()
  const text = (pointer: number) => (pointer === 0 ? null : engine.memory.text(pointer))
  const ask = (handle: number, action: number, one: number, two: number, three: number, four: number): number => {
    const connection = connections.get(handle)?.deref()
    const authorizer = connection?.authorizer
    if (connection === undefined || authorizer === undefined) return SQLITE_DENY
    return connection.runCallback(
      () => {
        const answer: unknown = authorizer(action, text(one), text(two), text(three), text(four))
        if (typeof answer !== "number" || (answer | 0) !== answer) {
          throw new TypeError("Authorizer callback must return an integer authorization code")
        }
        if (answer < 0 || answer > SQLITE_IGNORE) {
          throw new RangeError("Authorizer callback returned a invalid authorization code")
        }
        return answer
      },
      () => SQLITE_DENY,
    )
  }
  return { pointer: engine.functionPointer("iiiiiii", ask), connections }
}

const tables = new WeakMap<Engine, ReturnType<typeof table>>()

const startAsking = (connection: Connection): void => {
  const { engine, handle } = connection
  const { pointer, connections } = tables.get(engine) ?? table(engine)
  tables.set(engine, { pointer, connections })
  connections.set(handle, new WeakRef(connection))
  engine.memory.setInt(handle + fields.authorizer, pointer)
  engine.memory.setInt(handle + fields.authorizerArgument, handle)
}

const stopAsking = ({ engine, handle }: Connection): void => engine.memory.setInt(handle + fields.authorizer, 0)

/** Sets or clears (`undefined`) the authorizer of a connection. If it sets one, SQLite prepares existing statements again. */
export const setAuthorizer = (connection: Connection, authorizer: Authorizer | undefined): void => {
  connection.authorizer = authorizer
  if (authorizer === undefined) {
    stopAsking(connection)
    return
  }
  connection.authorizerCount++
  startAsking(connection)
  connection.expireStatements()
}

/** Called for every column that a statement reads, while the statement is being prepared. */
type ColumnReader = (column: string | null, table: string | null, database: string | null) => unknown

/** Runs a function with `reader` as the authorizer. Call it within `connection.unauthorized`, which restores the authorizer. */
export const listening = <A>(connection: Connection, reader: ColumnReader, use: () => A): A => {
  const { authorizer } = connection
  connection.authorizer = (action, table, column, database) => {
    if (action === SQLITE_READ) reader(column, table, database)
    return SQLITE_OK
  }
  startAsking(connection)
  try {
    return use()
  } finally {
    stopAsking(connection)
    connection.authorizer = authorizer
  }
}
