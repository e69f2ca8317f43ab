/** Opens connections. */
import { Connection, lastErrorOf } from "./connection.js"
import type { Engine } from "./engine.js"
import { SQLITE_OK } from "./errors.js"

/**
 * Opens a connection. `name` is a path, ":memory:", "" for a temporary file,
 * or a "file:" URI. Throws SQLite's error if it cannot be opened.
 */
export const openConnection = (engine: Engine, name: string): Connection =>
  engine.withResult((cell) => {
    const code = engine.withText(name, (pointer) => engine.call.sqlite3_open(pointer, cell))
    const handle = engine.memory.int(cell)
    if (code === SQLITE_OK) return new Connection(engine, handle)
    const error = lastErrorOf(engine, handle)
    engine.call.sqlite3_close_v2(handle)
    throw error
  })
