/** The cost of a page does not depend on the number of pets, because SQLite seeks to the page's first row and reads in order. */
import { CredentialRepository, PetRepository } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { sqliteStorage } from "../../src/sqlite/storage.js"
import { observedSqlite } from "../sqlite-file.js"

/** Every combination of filters, without and with a second word. */
const searches = (["asc", "desc"] as const).flatMap((order) =>
  [undefined, "sold" as const, null].flatMap((status) =>
    [undefined, 7n].flatMap((categoryId) =>
      [undefined, ["rex"], ["mr", "whi"]].map((words) => ({
        order,
        limit: 20,
        ...(status !== undefined && { status }),
        ...(categoryId !== undefined && { categoryId }),
        ...(words !== undefined && { words }),
      })),
    ),
  ),
)

/** The plans of the SELECT, UPDATE and DELETE statements that a store prepares, by statement text. */
const plans = Effect.gen(function* () {
  const { Sqlite, opened, prepared } = observedSqlite()
  const explain = (sql: string): string =>
    (opened[0]?.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() ?? []).map((row) => String(row["detail"])).join("; ")
  return yield* Effect.gen(function* () {
    const pets = yield* PetRepository
    const credentials = yield* CredentialRepository
    // Prepares the statements that are only prepared at their first use.
    yield* pets.list({ status: Option.some("sold"), after: Option.none(), limit: 1 })
    yield* pets.list({ status: Option.none(), after: Option.none(), limit: 1 })
    yield* credentials.findApiKey("")
    // More pets than a search looks at before it asks the index of words.
    const given = (status?: "sold") => ({ name: "Ada", categoryId: 7n, ...(status !== undefined && { status }) })
    yield* pets.insertAll(Stream.make(Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? given() : given("sold")))))
    for (const search of searches) yield* pets.search(search)
    return [...prepared].filter((sql) => /^(SELECT .* FROM|UPDATE|DELETE) /.test(sql)).map((sql) => [sql, explain(sql)] as const)
  }).pipe(Effect.provide(sqliteStorage(Sqlite, ":memory:", { migrate: true })))
})

/** Operators' lists and recounts, a start and a new index read entire tables; requests do not. The probe reads one row. */
const readsAll =
  /FROM sqlite_schema|FROM (accounts|api_keys|deprecated_calls) ORDER BY|^SELECT 1 FROM pets .*LIMIT 1$|^DELETE FROM \w+$|\bcount\(\*\)/

describe("SQLite queries", () => {
  it("search an index, without a scan or a sort", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => !readsAll.test(sql))
    expect(found.length).toBeGreaterThanOrEqual(5)
    for (const [sql, plan] of found) {
      // SQLite calls every use of a virtual table a scan. With index 0, it would read the entire table.
      const known = plan
        .replace(/^SCAN pet_words VIRTUAL TABLE INDEX (?!0)/, "SEARCH pet_words INDEX ")
        .replace(/^SCAN json_each VIRTUAL TABLE INDEX 1:; /, "")
      expect(known, sql).toMatch(/^(?:MERGE \(UNION ALL\); LEFT; )*SEARCH /)
      expect(known, sql).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })

  it("find pets with a status, without one, or in a category, by it and by identifier", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => /FROM pets WHERE (status|category_id) (=|IS) \?/.test(sql))
    const index = (name: string, range: string) => `SEARCH pets USING INDEX ${name}? AND ${range})`
    const [category, status] = ["pets_by_category (category_id=", "pets_by_status (status="] as const
    expect(new Set(found.map(([, plan]) => plan.replace("COVERING ", "")))).toStrictEqual(
      new Set([
        ...["rowid>?", "rowid<?", "rowid>? AND rowid<?"].map((range) => index(category, range)),
        ...["rowid>?", "rowid<?"].map((range) => index(status, range)),
      ]),
    )
  })

  it("find pets by words among the next ones in the order of a filter, and then in the index of words", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => / WHERE .*(c0words|MATCH)/.test(sql))
    const byId = "SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)"
    const walks = ["INDEX pets_by_category (category_id=? AND ", "INDEX pets_by_status (status=? AND ", "INTEGER PRIMARY KEY ("]
    expect(new Set(found.map(([, plan]) => plan))).toStrictEqual(
      new Set([
        ...walks.map(
          (walk) => `SEARCH pets USING ${walk}rowid>? AND rowid<?); SEARCH pet_words_content USING INTEGER PRIMARY KEY (rowid=?)`,
        ),
        // Numbers above 2 are searches for words (FTS3_FULLTEXT_SEARCH), here from or up to an identifier.
        ...["131074:ASC", "262146:DESC"].flatMap((index) =>
          ["", `; ${byId}`].map((pets) => `SCAN pet_words VIRTUAL TABLE INDEX ${index}${pets}`),
        ),
      ]),
    )
  })

  it("find the pets that wait for the indexes above the last identifier in them", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => /^SELECT .* WHERE .*waiting_words <> ''/.test(sql))
    const plan = /^SEARCH pets USING (INTEGER PRIMARY KEY \(|INDEX pets_by_status \(status=\? AND )rowid>\?( AND rowid<\?)?\)$/
    expect(found.length).toBeGreaterThanOrEqual(16)
    for (const [sql, how] of found) expect(how, sql).toMatch(plan)
  })

  it("find orders with every combination of filters by index and identifier", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => /FROM orders WHERE/.test(sql))
    const ofPet = (range: string) =>
      `SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid${range}?)`
    const both = (part: string) => `MERGE (UNION ALL); LEFT; ${part}; RIGHT; ${part}`
    const pages = [">", "<"].flatMap((range) => [
      `SEARCH orders USING INTEGER PRIMARY KEY (rowid${range}?)`,
      `SEARCH orders USING INDEX orders_by_status (status=? AND rowid${range}?)`,
      both(both(ofPet(range))),
      ...Array(4).fill(ofPet(range)),
    ])
    const laterSale = ofPet(">").replace("USING", "USING COVERING")
    expect(found.map(([, plan]) => plan).toSorted()).toStrictEqual(
      ["SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)", laterSale, ...pages].toSorted(),
    )
  })
})
