/** Tests the inventory of a SQLite store: writes by hand, restored pets and wrong counts. */
import { ChangeRepository, PetId } from "@petstore/core"
import { Effect, Fiber, Option } from "effect"
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

withFile("counts what SQL by hand writes between the writes of the store, and restored pets", (path) =>
  Effect.gen(function* () {
    yield* threePets
    yield* byHand(
      path,
      "INSERT INTO pets (name, category_id, status) VALUES ('Ada', 1, 'pending'), ('Coco', 1, NULL); DELETE FROM pets WHERE id = 3",
    )
    const counted = { available: 0, pending: 1, sold: 2, withoutStatus: 1, total: 4 }
    expect(yield* inventory).toStrictEqual(counted)
    const { restorePet } = Option.getOrThrow(yield* Effect.serviceOption(ChangeRepository))
    yield* restorePet(PetId.make(3n))
    expect(yield* inventory).toStrictEqual({ ...counted, withoutStatus: 2, total: 5 })
    expect((yield* recount).counted).toStrictEqual(yield* inventory)
  }).pipe(Effect.provide(storeIn(path))),
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
