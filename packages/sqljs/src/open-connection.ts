/** Opens connections, after a look at the structures of SQLite that the rest relies on. */
import { Connection, lastErrorOf } from "./connection.js"
import type { Engine } from "./engine.js"
import { SQLITE_OK } from "./errors.js"
import { checkStructures } from "./structure-check.js"
import { openUriAddress } from "./structures.js"

const checked = new WeakSet<Engine>()

/**
 * Opens a connection. `name` is a path, ":memory:", "" for a temporary file,
 * or a "file:" URI. Throws SQLite's error if it cannot be opened.
 */
export const openConnection = (engine: Engine, name: string): Connection => {
  if (!checked.has(engine)) {
    engine.memory.bytes[openUriAddress] = 1
    checkStructures((name) => openUnchecked(engine, name))
    checked.add(engine)
  }
  return openUnchecked(engine, name)
}

/** Opens without the check of the structures, which itself needs a connection. */
const openUnchecked = (engine: Engine, name: string): Connection =>
  engine.withResult((cell) => {
    const code = engine.withText(name, (pointer) => engine.call.sqlite3_open(pointer, cell))
    const handle = engine.memory.int(cell)
    if (code === SQLITE_OK) return new Connection(engine, handle)
    const error = lastErrorOf(engine, handle)
    engine.call.sqlite3_close_v2(handle)
    throw error
  })
