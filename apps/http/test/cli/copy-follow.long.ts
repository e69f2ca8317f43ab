/** `petstore copy --follow` between SQLite and PostgreSQL. */
import { join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { describe, it } from "vitest"
import { copyWhileServed } from "./copy-while-served.js"

const engines = {
  SQLite: (folder: string, name: string) => `sqlite:${join(folder, `${name}.db`)}`,
  PostgreSQL: () => newPostgresDatabase(),
}

const pairs = [
  ["SQLite", "PostgreSQL"],
  ["PostgreSQL", "SQLite"],
  ["PostgreSQL", "PostgreSQL"],
  ["SQLite", "SQLite"],
] as const

describe.each(pairs)("from %s to %s", (one, other) => {
  it("a copy that follows loses, doubles and alters nothing, whatever is killed", async () => {
    const folder = temporaryFolder()
    const [from, to] = [await engines[one](folder, "from"), await engines[other](folder, "to")]
    await copyWhileServed({ folder, from, to, killedAfterMillis: [200, 600, 1_200] })
  })
})
