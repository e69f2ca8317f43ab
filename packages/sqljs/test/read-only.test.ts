/** A read-only connection does not change a database, whatever name ATTACH uses for it. */
import { existsSync } from "node:fs"
import { DatabaseSync as NativeDatabase } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { DatabaseSync } from "../src/index.js"
import { temporaryFolder } from "./temporary-folder.js"

const outcome = (use: () => unknown): unknown => {
  try {
    use()
    return "done"
  } catch (thrown) {
    return thrown instanceof Error && "errcode" in thrown ? [thrown.errcode, thrown.message] : thrown
  }
}

const filled = (file: (name: string) => string) => {
  const database = new NativeDatabase(file("kept.db"))
  database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
  database.close()
}

describe("a read-only connection", () => {
  it.each([
    "ATTACH 'FOLDER/kept.db' AS again; DELETE FROM again.t",
    "ATTACH 'FOLDER/new.db' AS fresh; CREATE TABLE fresh.t (a)",
    "ATTACH 'file:FOLDER/kept.db?mode=rw' AS again; DELETE FROM again.t",
    "ATTACH 'file:FOLDER/new.db?m%6Fde=rwc' AS fresh; CREATE TABLE fresh.t (a)",
    "DELETE FROM t",
    "CREATE TEMP TABLE own (a); INSERT INTO own VALUES (1)",
    "VACUUM INTO 'FOLDER/copy.db'",
  ])("has the same result as in node:sqlite: %s", (sql) => {
    const outcomes = [NativeDatabase, DatabaseSync].map((Engine) => {
      const file = temporaryFolder()
      filled(file)
      const database = new Engine(file("kept.db"), { readOnly: true })
      const result = outcome(() => database.exec(sql.replace("FOLDER", file("."))))
      database.close()
      const kept = new NativeDatabase(file("kept.db"))
      const rows = kept.prepare("SELECT * FROM t").all()
      kept.close()
      return JSON.stringify([result, rows, existsSync(file("new.db"))]).replaceAll(file("."), "FOLDER")
    })
    expect(outcomes[1]).toBe(outcomes[0])
  })

  it.each(["mode=rw", "mode=rwc", "m%6Fde=r%77", "cache=private&mode=rwc", "mode=rw&mode=ro"])(
    "refuses a URI that requests write access: %s",
    (query) => {
      const file = temporaryFolder()
      filled(file)
      const open = () => new DatabaseSync(`file:${file("kept.db")}?${query}#fragment`, { readOnly: true })
      expect(open).toThrow(
        expect.objectContaining({ errcode: 3, message: expect.stringContaining("access mode not allowed: rw") }),
      )
    },
  )
})
