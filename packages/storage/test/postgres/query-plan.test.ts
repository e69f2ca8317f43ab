/** What a page costs on PostgreSQL depends on its size, not on the catalogue: the plans of the statements that the server received. */
import { entriesMaximum, maxInt64, minInt64, PetRepository, type PetSearch } from "@petstore/core"
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
      const received = async () => (await statementsOf(url, "petstore")).filter((statement) => statement.includes("LIMIT $"))
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

/** Searches along one index, with the index: a page, and with several filters what is read past. */
const searches = (["asc", "desc"] as const).flatMap((order) =>
  [undefined, { id: 9_999n }].flatMap(
    (after): ReadonlyArray<readonly [PetSearch, index: string, values: ReadonlyArray<unknown>]> => {
      const page = { order, limit: 20, ...(after !== undefined && { after }) }
      const from = after?.id ?? (order === "asc" ? minInt64 : maxInt64)
      return [
        [page, "pets_pkey", [from, 21]],
        [{ ...page, status: "sold" }, "pets_by_status", ["sold", from, 21]],
        [{ ...page, categoryId: 7n }, "pets_by_category", [7n, from, 21]],
        [{ ...page, categoryId: 7n, status: "sold" }, "pets_by_category", [7n, from, entriesMaximum, "sold", 21]],
      ]
    },
  ),
)

it("searches along an index that has the order of the page", () =>
  withStore(
    async (store, url) => {
      await sql(url, fill.replace("'Pet', 1,", "'Pet', place % 49,"))
      for (const [search, index, values] of searches) {
        const before = (await statementsOf(url, "petstore")).length
        const { pets } = await store.run(Effect.flatMap(PetRepository, (repository) => repository.search(search)))
        expect(pets).toHaveLength(20)
        const received = async () => (await statementsOf(url, "petstore")).slice(before).filter((text) => text.includes("LIMIT"))
        await expect.poll(received).toHaveLength(1)
        const [text = ""] = await received()
        const literals = values.map((value) => (typeof value === "string" ? `'${value}'` : `(${value})`))
        const asked = text.replace(/^execute <unnamed>: /, "").replace(/\$(\d)/g, (_, place) => literals[Number(place) - 1] ?? "")
        const plan = (await sql(url, `EXPLAIN ${asked}`)).map((line) => line["QUERY PLAN"]).join("\n")
        expect(plan).toMatch(new RegExp(`Index Scan (?:Backward )?using ${index}`))
        expect(plan).not.toMatch(/Sort|Seq Scan/)
      }
    },
    { logsStatements: true },
  ))

it("searches by name along the search keys, and looks for pets without one beside them", () =>
  withStore(
    async (store, url) => {
      await sql(url, fill)
      await sql(url, "UPDATE pets SET search_key = 'pet ' || id % 5000; ANALYZE pets")
      for (const filter of [{}, { status: "sold" }, { categoryId: 1n }] as const) {
        const before = (await statementsOf(url, "petstore")).length
        const search: PetSearch = { order: "asc", limit: 20, keys: { from: "pet 1", below: "pet 2" }, ...filter }
        const { pets } = await store.run(Effect.flatMap(PetRepository, (repository) => repository.search(search)))
        expect(pets).toHaveLength(20)
        const received = async () => (await statementsOf(url, "petstore")).slice(before).filter((text) => text.includes("LIMIT"))
        await expect.poll(received).toHaveLength(2)
        const literals = ["'pet 1'", `(${minInt64})`, "'pet 2'", "21", ...Object.values(filter).map((value) => `'${value}'`)]
        for (const text of await received()) {
          const asked = text
            .replace(/^(?:execute <unnamed>|statement): /, "")
            .replace(/\$(\d)/g, (_, place) => literals[Number(place) - 1] ?? "")
          const plan = (await sql(url, `EXPLAIN ${asked}`)).map((line) => line["QUERY PLAN"]).join("\n")
          expect(plan).toMatch(/Index Scan (?:Backward )?(?:using|on) pets_by_search_key/)
          // Of as many entries as a search with filters may read, the server may sort those that it found by the index.
          expect(plan).not.toMatch(text.includes("row_number") ? /Seq Scan/ : /Sort|Seq Scan/)
        }
      }
    },
    { logsStatements: true },
  ))
