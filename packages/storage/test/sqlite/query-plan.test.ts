/** The cost of a page does not depend on the number of pets, because SQLite seeks to the page's first row and reads in order. */
import { CredentialRepository, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { sqliteStorage } from "../../src/sqlite/storage.js"
import { observedSqlite } from "../sqlite-file.js"

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
      expect(plan, sql).toMatch(/^(?:MERGE \(UNION ALL\); LEFT; )*SEARCH /)
      expect(plan, sql).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })

  it("find a page with one status by status and identifier", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => sql.includes("FROM pets WHERE status = ?"))
    expect(found.map(([, plan]) => plan)).toStrictEqual([
      "SEARCH pets USING INDEX pets_by_status (status=? AND rowid>?)",
      "SEARCH pets USING INDEX pets_by_status (status=? AND rowid<?)",
    ])
  })

  it("find pets by name through their search keys, and pets without a key separately", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) =>
      /^SELECT .*(FROM pets_by_name|search_index .*LIMIT)/.test(sql),
    )
    expect(found.map(([, plan]) => plan)).toStrictEqual([
      "SEARCH pets_by_name USING PRIMARY KEY (search_key=? AND pet_id>?); SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH pets_by_name USING PRIMARY KEY (search_key>? AND search_key<?); SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH pets USING INTEGER PRIMARY KEY (rowid>?); SCALAR SUBQUERY 1; SEARCH search_index USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH pets USING INTEGER PRIMARY KEY (rowid=?); USING ROWID SEARCH ON TABLE outdated_entries FOR IN-OPERATOR; SCALAR SUBQUERY 2; SEARCH search_index USING INTEGER PRIMARY KEY (rowid=?)",
    ])
  })

  it("find a category's pets, and orders with every combination of filters, by index and identifier", async () => {
    const found = (await Effect.runPromise(plans)).filter(([sql]) => /WHERE category = |FROM orders WHERE/.test(sql))
    expect(found.map(([, plan]) => plan)).toStrictEqual([
      "SEARCH pets USING INDEX pets_by_status (status=?); LIST SUBQUERY 1; SEARCH orders USING INDEX orders_by_status (status=?); CREATE BLOOM FILTER",
      "SEARCH pets_by_category USING PRIMARY KEY (category=? AND pet_id=?)",
      "SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH pets_by_category USING PRIMARY KEY (category=? AND pet_id>?); SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH pets_by_category USING PRIMARY KEY (category=? AND pet_id<?); SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH orders USING INTEGER PRIMARY KEY (rowid>?)",
      "SEARCH orders USING INDEX orders_by_status (status=? AND rowid>?)",
      "MERGE (UNION ALL); LEFT; MERGE (UNION ALL); LEFT; SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid>?); RIGHT; SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid>?); RIGHT; SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid>?)",
      "SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid>?)",
      "SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid>?)",
      "SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid>?)",
    ])
  })
})
