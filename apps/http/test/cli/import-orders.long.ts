import { readFileSync, writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { contradictions, readSqliteOrders } from "@petstore/torture/order-checker"
import { describe, expect, it } from "vitest"

type Workplace = ReturnType<typeof openWorkplace>

/** A store with one pet for each status. Identifiers start at 1. */
const storeWith = async (...statuses: ReadonlyArray<string | undefined>) => {
  const place = openWorkplace()
  const rows = statuses.map((status, index) => JSON.stringify({ name: `pet ${index + 1}`, categoryId: 1, status }))
  writeFileSync(place.path("pets.ndjson"), rows.join("\n"))
  await place.run(["import", "pets.ndjson"])
  return place
}

const importing = (place: Workplace, rows: ReadonlyArray<string>, ...options: ReadonlyArray<string>) => {
  writeFileSync(place.path("orders.ndjson"), rows.join("\n"))
  return place.run(["import", "--orders", "orders.ndjson", ...options])
}

/** The store's content, read without our code. Fails if the pets' statuses contradict the orders. */
const held = ({ path }: Workplace) => {
  const store = readSqliteOrders(path("store.db"))
  expect(contradictions(store)).toStrictEqual([])
  return {
    pets: store.pets.map(({ status }) => status),
    orders: store.orders.map(({ petId, status }) => `${petId} ${status}`),
  }
}

describe("petstore import --orders", () => {
  it("places, completes and cancels orders as the rows state, in the order of the file", async () => {
    const place = await storeWith("available", "available", "available", "sold", undefined)
    const rows = [
      '{"petId":2,"status":"cancelled"}',
      '{"petId":2,"status":"completed"}',
      '{"petId":1}',
      '{"petId":3,"status":"cancelled"}',
    ]
    expect(await importing(place, rows)).toStrictEqual({
      exitCode: 0,
      stdout: "4 orders read, 4 kept, 0 rejected.\n",
      stderr: "",
    })
    expect(held(place)).toStrictEqual({
      pets: ["pending", "sold", "available", "sold", undefined],
      orders: ["2 cancelled", "2 completed", "1 placed", "3 cancelled"],
    })
  })

  it("keeps an order's timestamps, but assigns a new identifier", async () => {
    const place = await storeWith("available")
    const rest = '"petId":1,"status":"completed","createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-02-03T04:05:06.789Z"}'
    await importing(place, [`{"id":77,${rest}`])
    expect((await place.run(["export", "--orders", "-"])).stdout).toBe(`{"id":1,${rest}\n`)
  })

  it("rejects impossible orders, reports the line and the reason of each, and imports the others", async () => {
    const place = await storeWith("available", "pending", "sold", undefined, "available")
    const rows = [
      '{"petId":1,"status":"completed"}',
      '{"petId":1,"status":"completed"}',
      '{"petId":2}',
      '{"petId":3,"status":"completed"}',
      '{"petId":4}',
      '{"petId":99}',
      "",
      '{"petId":5,"status":"sold"}',
      "not json",
      '{"petId":5,"createdAt":"yesterday"}',
      '{"petId":5,"status":"cancelled"}',
    ]
    const { exitCode, stderr, stdout } = await importing(place, rows, "--json")
    const notAvailable = (id: number, state: string) =>
      `pet_not_available: The pet ${id} ${state}. Only a pet whose status is available can be ordered.`
    const rejections = [
      { line: 2, reason: notAvailable(1, "is sold") },
      { line: 3, reason: notAvailable(2, "is pending") },
      { line: 4, reason: notAvailable(3, "is sold") },
      { line: 5, reason: notAvailable(4, "has no status") },
      { line: 6, reason: "pet_not_found: No pet has the identifier 99." },
      { line: 8, reason: 'status: expected one of placed, completed, cancelled, got "sold".' },
      { line: 9, reason: "not valid JSON: it is not one complete JSON text, at line 1, column 1" },
      { line: 10, reason: 'createdAt: expected a timestamp such as 2026-01-02T03:04:05.678Z, got "yesterday".' },
    ]
    expect(JSON.parse(stdout)).toStrictEqual({
      read: 10,
      kept: 2,
      rejected: 8,
      rejections: rejections.map((one) => ({ ...one, count: 1 })),
    })
    expect(stderr).toBe(
      [
        ...rejections.map(({ line, reason }) => `line ${line}: ${reason}`),
        "petstore: 8 of 10 rows were rejected, and 2 were kept.",
        "",
      ].join("\n"),
    )
    expect(exitCode).toBe(1)
    expect(held(place).orders).toStrictEqual(["1 completed", "5 cancelled"])
  })

  it("refuses options that are not for orders", async () => {
    const place = await storeWith("available")
    const refused = [["--all-or-nothing"], ["--format", "csv"]] as const
    for (const options of refused) {
      expect(await importing(place, ['{"petId":1}'], ...options)).toMatchObject({ exitCode: 2 })
    }
    expect(await place.run(["export", "--orders", "--before-orders", "-"])).toMatchObject({ exitCode: 2, stdout: "" })
    expect(held(place).orders).toStrictEqual([])
  })
})

describe("pets and orders that are exported and imported", () => {
  let store: Buffer | undefined

  /** Pets in every state, with and without orders. One pet was ordered three times. The store is prepared once. */
  const lived = async () => {
    if (store !== undefined) {
      const copy = openWorkplace()
      writeFileSync(copy.path("store.db"), store, { mode: 0o600 })
      return copy
    }
    const place = await storeWith("available", "available", "available", "available", "pending", "sold", undefined)
    const row = (petId: number, status: string, day: number) =>
      `{"petId":${petId},"status":"${status}","createdAt":"2026-01-0${day}T00:00:00.000Z","updatedAt":"2026-01-0${status === "placed" ? day : day + 1}T00:00:00.000Z"}`
    await importing(place, [
      row(2, "cancelled", 1),
      row(3, "placed", 2),
      row(2, "cancelled", 3),
      row(4, "cancelled", 3),
      row(2, "completed", 4),
    ])
    store = readFileSync(place.path("store.db"))
    return place
  }

  it.each(["pets.ndjson", "pets.csv"])("create a store with the same content, through %s", async (file) => {
    const place = await lived()
    await place.run(["export", "--before-orders", "--replace", file])
    await place.run(["export", "--orders", "orders.ndjson"])
    const other = openWorkplace()
    expect(await other.run(["import", place.path(file)])).toMatchObject({ exitCode: 0 })
    await other.run(["export", "--before-orders", file])
    expect(readFileSync(other.path(file), "utf8")).toBe(readFileSync(place.path(file), "utf8"))
    expect(await other.run(["import", "--orders", place.path("orders.ndjson")])).toMatchObject({ exitCode: 0, stderr: "" })
    for (const what of [[], ["--orders"]]) {
      const [before, after] = [await place.run(["export", ...what, "-"]), await other.run(["export", ...what, "-"])]
      expect(after.stdout).toBe(before.stdout)
      expect(after.stdout).not.toBe("")
    }
    expect(held(other).pets).toStrictEqual(["available", "sold", "pending", "available", "pending", "sold", undefined])
  })

  it("conflict if the pets are exported without --before-orders: the import rejects orders for unavailable pets", async () => {
    const place = await lived()
    await place.run(["export", "--replace", "pets.ndjson"])
    await place.run(["export", "--orders", "orders.ndjson"])
    const other = openWorkplace()
    await other.run(["import", place.path("pets.ndjson")])
    const { exitCode, stderr } = await other.run(["import", "--orders", place.path("orders.ndjson")])
    expect(stderr.match(/^line \d+: pet_not_available/gm)).toHaveLength(4)
    expect(exitCode).toBe(1)
    expect(held(other).orders).toStrictEqual(["4 cancelled"])
  })
})
