/** `petstore history` and `petstore export --changes`. */
import { readFileSync, writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

const stores = { SQLite: () => "sqlite:store.db", PostgreSQL: newPostgresDatabase }

it.for(Object.entries(stores))(
  "on %s, history prints what an import and corrections changed, newest first, and export writes it, oldest first",
  async ([, newStore]) => {
    const { path, run } = openWorkplace({ DATABASE_URL: await newStore() })
    writeFileSync(path("pets.csv"), "name,categoryId\nBello,7\nAda,9007199254740993\n")
    writeFileSync(path("update.csv"), "id,name,status\n1,Rex,\n2,Ada,\n")
    await run(["import", "pets.csv"])
    await run(["import", "--update", "update.csv"])
    const { stdout } = await run(["history"])
    const [, ...rows] = stdout.trimEnd().split("\n")
    expect(rows.map((row) => row.replace(/^\S+ +/, "").replaceAll(/ {2,}/g, " | "))).toStrictEqual([
      "correctPet | petstore import | pet 1: name Bello → Rex",
      "createPet | petstore import | pet 2: name Ada, categoryId 9007199254740993",
      "createPet | petstore import | pet 1: name Bello, categoryId 7",
    ])
    const ofOne = (await run(["history", "--pet", "2", "--since", "1h", "--json"])).stdout
    expect(ofOne).toMatch(/^\[\{"id":"\d+-\w+","at":"[^"]+","operation":"createPet","by":\{"command":"import"\},"after":\{"pet":/)
    expect(ofOne).toContain('"categoryId":9007199254740993')
    expect(await run(["export", "--changes", "changes.ndjson"])).toMatchObject({
      exitCode: 0,
      stdout: "3 changes exported to changes.ndjson.\n",
    })
    const operations = readFileSync(path("changes.ndjson"), "utf8").trimEnd().split("\n")
    expect(operations.map((line) => JSON.parse(line).operation)).toStrictEqual(["createPet", "createPet", "correctPet"])
    expect((await run(["export", "--changes", "--orders", "x.ndjson"])).exitCode).toBe(2)
  },
)
