import type { DatabaseSync } from "node:sqlite"
import { categoryWrites } from "./category-repository.js"
import { changeRepositoryWrites } from "./change-repository.js"
import { changeWrites } from "./change-writes.js"
import { statementsOn } from "./engine/connection.js"
import { logWrites } from "./engine/one-name.js"
import { orderWrites } from "./order-repository.js"
import { petWrites } from "./pet-repository.js"
import { wordWrites } from "./pet-words.js"
import { tableWrites } from "./tables.js"

export const sqliteWrites = (connection: DatabaseSync) => {
  const statements = statementsOn(connection)
  const prove = statements.prepare("UPDATE writability SET proven_at = ? WHERE only_row = 1")
  const { correctWords, writeWords } = wordWrites(statements)
  const { record, undoing, beginChanges, endChanges } = changeWrites(statements)
  return {
    ...logWrites(connection),
    ...petWrites(undoing, record),
    ...orderWrites(undoing, record),
    ...categoryWrites(undoing, record),
    ...changeRepositoryWrites(undoing, record),
    ...tableWrites(statements),
    correctWords,
    /** A small write that shows a service whether its SQLite file still accepts writes. */
    proveWritable: (now: number): void => void prove.run(now),
    afterBegin: beginChanges,
    beforeCommit: (): void => writeWords(endChanges()),
  }
}
