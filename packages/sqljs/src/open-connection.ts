import { Connection } from "./connection.js"
import type { Engine } from "./engine.js"
import { SQLITE_OK } from "./errors.js"

/** Opens a path, ":memory:", "" (a temporary file) or a "file:" URI. Throws SQLite's error if the database cannot be opened. */
export const openConnection = (engine: Engine, name: string): Connection =>
  engine.withResult((cell) => {
    const code = engine.withText(name, (pointer) => engine.call.sqlite3_open(pointer, cell))
    const connection = new Connection(engine, engine.memory.int(cell))
    if (code === SQLITE_OK) return connection
    const error = connection.lastError()
    connection.close()
    throw error
  })

export const usingConnection = <A>(engine: Engine, name: string, use: (connection: Connection) => A): A => {
  const connection = openConnection(engine, name)
  try {
    return use(connection)
  } finally {
    connection.close()
  }
}

/** Starts to copy a database to a database of another connection. Returns the backup handle, or throws SQLite's error. */
export const beginBackup = (from: Connection, fromName: string, to: Connection, toName: string): number => {
  const { engine } = from
  const handle = engine.withText(toName, (target) =>
    engine.withText(fromName, (source) => engine.call.sqlite3_backup_init(to.handle, target, from.handle, source)),
  )
  if (handle === 0) throw to.lastError()
  return handle
}
