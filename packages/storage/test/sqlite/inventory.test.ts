/** Tests the inventory of a SQLite store with wrong counts. */
import { Effect, Fiber } from "effect"
import { expect } from "vitest"
import { inventory, recount, three, threePets } from "../inventory.js"
import { byHand, otherConnection, storeIn, withFile } from "../sqlite-file.js"

withFile("a recount reports wrong counts, and corrects them", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(threePets, storeIn(path))
    yield* byHand(path, "UPDATE inventory SET pets = pets + 5 WHERE status = 'pending'")
    expect(yield* Effect.provide(recount, storeIn(path))).toStrictEqual({
      kept: { ...three, pending: 5, total: 8 },
      counted: three,
    })
    expect(yield* Effect.provide(inventory, storeIn(path))).toStrictEqual(three)
  }),
)

withFile("a recount waits for another program's lock", (path) =>
  Effect.gen(function* () {
    yield* threePets
    const other = yield* otherConnection(path)
    other.exec("BEGIN IMMEDIATE")
    const recounting = yield* Effect.fork(recount)
    yield* Effect.sleep(100)
    other.exec("ROLLBACK")
    expect(yield* Fiber.join(recounting)).toStrictEqual({ kept: three, counted: three })
  }).pipe(Effect.provide(storeIn(path))),
)
