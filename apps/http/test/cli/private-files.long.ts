/** Only the owner can read a store, a backup and an export, under any umask. */
import { execFileSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const petstore = join(import.meta.dirname, "../../bin/petstore")

it.each(["sqlite", "sqljs"])("only the owner can read and write a %s store's files, even with a umask of 0", async (adapter) => {
  const folder = temporaryFolder()
  const file = (name: string) => join(folder, name)
  const environment = environmentIn(folder, { DATABASE_URL: `${adapter}:${file("petstore.db")}`, LOG_LEVEL: "silent" })
  for (const command of [["migrate"], ["backup", file("copy.db")], ["export", file("out.csv")]]) {
    const line = ["-c", 'umask 0; exec "$@" >/dev/null 2>&1', "sh", petstore, ...command]
    execFileSync("sh", line, { env: environment })
  }
  const service = adapter === "sqlite" ? await serve(environment) : undefined
  const made = ["petstore.db", "petstore.db-users", "copy.db", "out.csv", "petstore.db-wal", "petstore.db-shm"].filter((name) =>
    existsSync(file(name)),
  )
  expect(made).toHaveLength(service === undefined ? 4 : 6)
  for (const name of made) expect([name, (statSync(file(name)).mode & 0o777).toString(8)]).toEqual([name, "600"])
})
