/** What a page costs on PostgreSQL depends on its size, not on the catalogue: the plans of the statements that the server received. */
import { PetRepository } from "@petstore/core"
import { statementsOf } from "@petstore/test/postgres"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { sql, withStore } from "../postgres-store.js"

/** Pets of every status in turn: the case in which a planner likes to walk along the identifiers. */
const fill = `INSERT INTO pets (name, category_id, status)
  SELECT 'Pet', 1, (ARRAY['available', 'pending', 'sold', NULL])[place % 4 + 1] FROM generate_series(1, 20000) place;
  ANALYZE pets`

it("reads pages from an index that has their order", () =>
  withStore(
    async (store, url) => {
      await sql(url, fill)
      for (const status of [Option.none(), Option.some("sold" as const)]) {
        for (const after of [Option.none(), Option.some(9_999n as never)]) {
          await store.run(Effect.flatMap(PetRepository, (pets) => pets.list({ status, after, limit: 21 })))
        }
      }
      const received = async () => (await statementsOf(url, "petstore")).filter((statement) => statement.includes("LIMIT"))
      // The log of the server comes a little later than its answers.
      await expect.poll(received).toHaveLength(4)
      const pages = await received()
      for (const page of pages) {
        const isFiltered = page.includes("status <=")
        const literals = isFiltered ? ["'sold'", "9999", "21"] : ["9999", "21"]
        const text = page.replace(/^execute <unnamed>: /, "").replace(/\$(\d)/g, (_, place) => literals[Number(place) - 1] ?? "")
        const plan = (await sql(url, `EXPLAIN ${text}`)).map((line) => line["QUERY PLAN"]).join("\n")
        expect(plan).toContain(isFiltered ? "Index Scan using pets_by_status" : "Index Scan using pets_pkey")
        expect(plan).not.toMatch(/Sort|Seq Scan|Filter/)
      }
    },
    { logsStatements: true },
  ))
