/** `petstore copy --follow` from a Citus cluster. */
import { join } from "node:path"
import { petstore } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newCitusDatabase, newPostgresDatabase } from "@petstore/test/postgres"
import { describe, it } from "vitest"
import { on } from "./copied-store.js"
import { copyWhileServed } from "./copy-while-served.js"

const targets = {
  SQLite: (folder: string) => `sqlite:${join(folder, "to.db")}`,
  PostgreSQL: () => newPostgresDatabase(),
}

describe.each(["SQLite", "PostgreSQL"] as const)("to %s", (engine) => {
  it("a copy that follows loses, doubles and alters nothing, although one is killed", async () => {
    const [folder, from] = [temporaryFolder(), await newCitusDatabase()]
    await petstore(on(from), "migrate")
    await petstore(on(from), "migrate", "--distribute")
    await copyWhileServed({ folder, from, to: await targets[engine](folder), killedAfterMillis: [1_200] })
  })
})
