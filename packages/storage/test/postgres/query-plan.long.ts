/**
 * On PostgreSQL, the cost of a page depends on the page's size, not on the catalogue's. The tests check the plans of the
 * statements that the server received.
 */
import {
  ChangeRepository,
  maxInt64,
  minInt64,
  OrderRepository,
  orderStatuses,
  PetRepository,
  type PetSearch,
  readMaximum,
} from "@petstore/core"
import { statementsOf } from "@petstore/test/postgres"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { type OpenStore, sql, withStore } from "../postgres-store.js"

/** Inserts pets whose statuses alternate, which tempts the planner to scan by identifier. */
const fill = `INSERT INTO pets (name, category_id, status)
  SELECT 'Pet', 1, (ARRAY['available', 'pending', 'sold', NULL])[place % 4 + 1] FROM generate_series(1, 20000) place;
  ANALYZE pets`

/**
 * A logged statement's plan: the generic plan for a named statement, otherwise the plan for its values, which are passed as SQL
 * literals.
 */
const planOf = async (url: string, logged: string, literals: ReadonlyArray<string>): Promise<string> => {
  const isNamed = !/^(?:execute <unnamed>|statement): /.test(logged)
  const text = logged.replace(/^(?:execute [^:]+|statement): /, "")
  const explain = isNamed ? `(GENERIC_PLAN) ${text}` : text.replace(/\$(\d)/g, (_, place) => literals[Number(place) - 1] ?? "")
  return (await sql(url, `EXPLAIN ${explain}`)).map((line) => line["QUERY PLAN"]).join("\n")
}

const fillOrders = `INSERT INTO orders (pet_id, status, created_at, updated_at)
  SELECT place % 3, (ARRAY['placed', 'completed', 'cancelled'])[place % 7 % 3 + 1], 0, 0 FROM generate_series(1, 20000) place;
  ANALYZE orders`

/** Runs a test with a store that contains the rows of an SQL script. */
const onFilled = (use: (store: OpenStore, url: string) => Promise<void>, rows = fill): Promise<void> =>
  withStore(
    async (store, url) => {
      await sql(url, rows)
      await use(store, url)
    },
    { logsStatements: true },
  )

/** The statements that contain a text, among those that the server receives during some work. */
const sentDuring = async (url: string, text: string, count: number, work: () => Promise<unknown>) => {
  const before = (await statementsOf(url, "petstore")).length
  await work()
  const received = async () => (await statementsOf(url, "petstore")).slice(before).filter((statement) => statement.includes(text))
  // The server writes its log shortly after it sends its results.
  await expect.poll(received).toHaveLength(count)
  return received()
}

it("the store reads pages of pets in the order of an index", () =>
  onFilled(async (store, url) => {
    const pages = await sentDuring(url, "LIMIT 21", 4, async () => {
      for (const status of [Option.none(), Option.some("sold" as const)]) {
        for (const after of [Option.none(), Option.some(9_999n as never)]) {
          await store.run(Effect.flatMap(PetRepository, (pets) => pets.list({ status, after, limit: 21 })))
        }
      }
    })
    for (const page of pages) {
      const isFiltered = page.includes("status <=")
      const plan = await planOf(url, page, [])
      expect(plan).toContain(isFiltered ? "Index Scan using pets_by_status" : "Index Scan using pets_pkey")
      expect(plan).not.toMatch(/Sort|Seq Scan|Filter/)
    }
  }))

/** Searches, each with the index and the values that it uses. A search with several filters also reads the rows that it skips. */
const searches = (["asc", "desc"] as const).flatMap((order) =>
  [undefined, 9_999n].flatMap((after): ReadonlyArray<readonly [PetSearch, index: string, values: ReadonlyArray<unknown>]> => {
    const page = { order, limit: 20, ...(after !== undefined && { after }) }
    const from = after ?? (order === "asc" ? minInt64 : maxInt64)
    return [
      [page, "pets_pkey", [from, 21]],
      [{ ...page, status: "sold" }, "pets_by_status", ["sold", from, 21]],
      [{ ...page, categoryId: 7n }, "pets_by_category", [7n, from, 21]],
      [{ ...page, status: null }, "pets_by_status", [from, 21]],
      [{ ...page, categoryId: 7n, status: "sold" }, "pets_by_category", [7n, from, "sold", 21]],
    ]
  }),
)

it("the store searches in the order of an index", () =>
  onFilled(
    async (store, url) => {
      for (const [search, index, values] of searches) {
        const [text = ""] = await sentDuring(url, "LIMIT", 1, async () => {
          const { pets } = await store.run(Effect.flatMap(PetRepository, (repository) => repository.search(search)))
          expect(pets).toHaveLength(20)
        })
        const literals = values.map((value) => (typeof value === "string" ? `'${value}'` : `(${value})`))
        const plan = await planOf(url, text, literals)
        expect(plan).toMatch(new RegExp(`Index Scan (?:Backward )?using ${index}`))
        expect(plan).not.toMatch(/Sort|Seq Scan/)
      }
    },
    fill.replace("'Pet', 1,", "'Pet', place % 49,"),
  ))

/** Autovacuum analyses a table a minute after an import at the latest, if it is on. */
const statistics = [
  ["", "VACUUM ANALYZE pets"],
  [
    ", even without statistics, as after an import",
    "ALTER TABLE pets SET (autovacuum_enabled = off); DELETE FROM pg_statistic WHERE starelid = 'pets'::regclass",
  ],
] as const

it.each(statistics)("the store searches by words among the next pets, and then in the index of words%s", (_, prepareStatistics) =>
  onFilled(async (store, url) => {
    // Only the oldest pets have these words: the rare one few of them, the frequent one more than a search reads.
    await sql(url, "UPDATE pets SET words = CASE WHEN id < 30 THEN 'pet rare' WHEN id < 12000 THEN 'pet old' ELSE 'pet' END")
    await sql(url, prepareStatistics)
    for (const [filter, walked, values] of [
      [{}, "pets_pkey", []],
      [{ status: "sold" }, "pets_by_status", ["'sold'"]],
      [{ status: null }, "pets_by_status", []],
      [{ categoryId: 1n }, "pets_by_category", ["1"]],
      [{ categoryId: 1n, status: "sold" }, "pets_by_category", ["1", "'sold'"]],
    ] as const) {
      const sent = (words: ReadonlyArray<string>, statements: number) =>
        sentDuring(url, "LIMIT", statements, () =>
          store.run(
            Effect.flatMap(PetRepository, (repository) => repository.search({ order: "desc", limit: 20, words, ...filter })),
          ),
        )
      const [first, ...rest] = values
      const scanned = [...(first === undefined ? [] : [first]), `(${maxInt64})`]
      const [full = ""] = await sent(["pet"], 1)
      const [, rare = ""] = await sent(["rare"], 2)
      // The third statement finds where to continue.
      const [walk = "", , ending = ""] = await sent(["ol"], 3)
      const plans = [
        await planOf(url, full, [...scanned, ...rest, "ARRAY['% pet%']", "21"]),
        await planOf(url, walk, [...scanned, ...rest, "ARRAY['% ol%']", "21"]),
        await planOf(url, ending, [...rest, "ARRAY['% ol%']", ...scanned, "22"]),
      ]
      for (const plan of plans) {
        expect(plan).toMatch(new RegExp(`Index Scan (?:Backward )?using ${walked}`))
        expect(plan).not.toMatch(/Seq Scan|Bitmap/)
      }
      const found = await planOf(url, rare, [...values, "$$'rare':*$$", "21"])
      expect(found).toMatch(/Bitmap Index Scan on pets_by_word/)
      expect(found).not.toMatch(/Seq Scan/)
    }
  }),
)

it("the store finds pets by identifier in the index of identifiers, even with other filters", () =>
  onFilled(async (store, url) => {
    const search: PetSearch = { order: "desc", limit: 20, id: [7n as never, 9n as never], status: "sold", categoryId: 1n }
    const [text = ""] = await sentDuring(url, "FROM pets", 1, () =>
      store.run(Effect.flatMap(PetRepository, (repository) => repository.search(search))),
    )
    expect(await planOf(url, text, ["ARRAY[7, 9]"])).toMatch(/Index Scan using pets_pkey/)
  }))

it("the store reads a short page again, together with the place to continue, in one statement", () =>
  onFilled(async (store, url) => {
    const search: PetSearch = { order: "asc", limit: 20, categoryId: 1n, status: "lost" as never }
    const [page = "", ending = ""] = await sentDuring(url, "FROM pets", 2, async () => {
      const { pets, next } = await store.run(Effect.flatMap(PetRepository, (repository) => repository.search(search)))
      expect({ pets, next }).toStrictEqual({ pets: [], next: BigInt(readMaximum) })
    })
    expect(page).not.toContain("place")
    expect(ending).toContain("passes OR place =")
  }))

it("the store reads orders in the order of an index, with and without each filter", () =>
  onFilled(async (store, url) => {
    for (const after of [Option.none(), Option.some(9_999n as never)]) {
      for (const [filters, index, literals] of [
        [{ status: Option.none() }, "orders_pkey", []],
        [{ status: Option.some("placed" as const) }, "orders_by_status", ["'placed'"]],
        [{ status: Option.none(), petId: 1n as never }, "orders_by_pet_and_status", ["1"]],
        [{ status: Option.some("placed" as const), petId: 1n as never }, "orders_by_pet_and_status", ["1"]],
      ] as const) {
        const [text = ""] = await sentDuring(url, "LIMIT ", 1, async () => {
          const found = await store.run(
            Effect.flatMap(OrderRepository, (orders) => orders.list({ ...filters, after, limit: 21 })),
          )
          expect(found).toHaveLength(21)
        })
        const plan = await planOf(url, text, [...literals, `(${Option.getOrElse(after, () => minInt64)})`, "21"])
        expect(plan.match(/Index (?:Only )?Scan using (\w+)/g)).toStrictEqual(
          Array(index === "orders_by_pet_and_status" && Option.isNone(filters.status) ? orderStatuses.length : 1).fill(
            `Index Scan using ${index}`,
          ),
        )
        expect(plan).not.toMatch(/Seq Scan|Filter/)
        // The pages of each status are merged and then sorted.
        expect(plan.match(/-> {2}Sort /g)?.length ?? 0, plan).toBeLessThanOrEqual(1)
      }
    }
  }, fillOrders))

const fillChanges = `INSERT INTO changes (slot, id, at, operation, pet_id, after)
  SELECT place & 15, place, place, 1, place / 4, '{}' FROM generate_series(1, 50000) place;
  ANALYZE changes`

it("the store reads changes in the order of an index, and only those of the page from each slot", () =>
  onFilled(async (store, url) => {
    for (const order of ["asc", "desc"] as const) {
      for (const [petId, index] of [
        [undefined, "changes_pkey"],
        [700n, "changes_by_pet"],
      ] as const) {
        // A list from the newest begins with the newest change of each slot.
        const texts = await sentDuring(url, "CROSS JOIN LATERAL", order === "asc" ? 1 : 2, () =>
          store.run(Effect.flatMap(ChangeRepository, ({ list }) => list({ petId, order, after: Option.none(), limit: 20 }))),
        )
        const plans = await Promise.all(texts.map((text) => planOf(url, text, [])))
        expect(plans.at(-1)).toMatch(new RegExp(`Index Scan (?:Backward )?using ${index}`))
        for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on changes|Sort/)
      }
    }
  }, fillChanges))
