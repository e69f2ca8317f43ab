/** The order of changes on PostgreSQL, whose transactions do not commit in the order of their identifiers. */
import {
  type Change,
  ChangeRepository,
  type ChangeSelection,
  CursorExpired,
  OrderRepository,
  type Pet,
  PetRepository,
  petIdOf,
} from "@petstore/core"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { inventory, recount } from "../inventory.js"
import { type OpenStore, openStore, sql, withClient, withStore } from "../postgres-store.js"

const everything: ChangeSelection = { order: "asc", after: Option.none(), limit: 10_000 }

const list = (store: OpenStore, selection: Partial<ChangeSelection> = {}) =>
  store.run(Effect.flatMap(ChangeRepository, (changes) => changes.list({ ...everything, ...selection })))

const insert = (store: OpenStore, name: string) =>
  store.run(Effect.flatMap(PetRepository, (pets) => pets.insert({ name, categoryId: 1n, status: "available" })))

const namesIn = (changes: ReadonlyArray<Change>) => changes.map(({ after }) => after?.pet?.name)

/** Inserting a pet named Slow waits for this lock, after its change was numbered. */
const holdSlow = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
    IF NEW.name = 'Slow' THEN PERFORM pg_advisory_xact_lock(1); END IF; RETURN NEW; END$$;
  CREATE TRIGGER hold BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION hold()`

it("a cursor over identifiers loses a change that is committed late, and a place does not", () =>
  withStore((store, url) =>
    withClient(url, async (holder) => {
      await sql(url, holdSlow)
      await holder.query("SELECT pg_advisory_lock(1)")
      const late = insert(store, "Slow")
      const isHeld = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
      await expect.poll(() => sql(url, isHeld)).toHaveLength(1)
      const early = await insert(store, "Quick")
      const { changes, next } = await list(store)
      expect(namesIn(changes)).toStrictEqual(["Quick"])
      await holder.query("SELECT pg_advisory_unlock(1)")
      const pet = await late
      expect(await sql(url, `SELECT id FROM pets WHERE id > ${early.id}`)).toStrictEqual([])
      expect(pet.id).toBeLessThan(early.id)
      expect(namesIn((await list(store, { after: Option.fromNullable(next) })).changes)).toStrictEqual(["Slow"])
    }),
  ))

it("two services that change the same pets in every way lose no change, and keep their order and the inventory", () =>
  withStore(async (store, url) => {
    const other = await openStore(url)
    try {
      const made = await Promise.all(Array.from({ length: 12 }, (_, n) => insert(n % 2 === 0 ? store : other, `Pet ${n}`)))
      let after = Option.none<string>()
      const seen: Array<Change> = []
      const read = async () => {
        const { changes, next } = await list(store, { after, limit: 7 })
        seen.push(...changes)
        after = Option.fromNullable(next)
        return changes.length
      }
      const rename = (pet: Pet, name: string) =>
        Effect.flatMap(PetRepository, (pets) =>
          pets.correctAll([[pet.id, { name }], ...made.map(({ id }) => [id, { categoryId: BigInt(name.length) }] as const)]),
        )
      const sell = (pet: Pet) =>
        Effect.gen(function* () {
          const orders = yield* OrderRepository
          const { id } = yield* orders.insert({ petId: pet.id, note: "n" }, new Date(0))
          const order = yield* orders.close(id, "complete", new Date(1))
          yield* orders.setNote(order, undefined)
          yield* orders.giveBack(id, new Date(2))
        })
      const writes = Promise.all(
        made.flatMap((pet, n) => [
          store.run(sell(pet)),
          other.run(rename(pet, `New ${n}`)),
          insert(n % 2 === 0 ? store : other, "More"),
          ...(n === 5 ? [store.run(recount)] : []),
        ]),
      )
      for (let count = 0; count < 20; count += 1) await read()
      await writes
      while ((await read()) > 0);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
      expect(seen.length).toBe((await list(store)).changes.length)
      for (const pet of made) {
        const changes = seen.filter(({ before, after: to }) => petIdOf(to ?? before ?? {}) === pet.id)
        expect(changes.map(({ operation }) => operation)).toEqual(
          expect.arrayContaining(["createOrder", "completeOrder", "changeOrder", "returnOrder"]),
        )
        let former: Pet | undefined
        for (const { before, after: to } of changes.filter(({ after: to }) => to?.pet !== undefined)) {
          expect(before?.pet).toStrictEqual(former)
          former = to?.pet
        }
        const found = await store.run(Effect.flatMap(PetRepository, (pets) => pets.find(pet.id)))
        expect(found).toStrictEqual(Option.fromNullable(former))
        expect((await list(store, { petId: pet.id })).changes).toStrictEqual(changes)
      }
      expect(await store.run(inventory)).toStrictEqual((await store.run(recount)).counted)
    } finally {
      await other.close()
    }
  }))

it("a place is refused if other changes have taken the place of those before it, as after a restore", () =>
  withStore(async (store, url) => {
    await insert(store, "Ada")
    const { next: early } = await list(store)
    await insert(store, "Lost")
    const { next: late } = await list(store)
    await sql(
      url,
      "DELETE FROM pets WHERE name = 'Lost'; UPDATE inventory SET last_change = last_change - 16 WHERE slot = (SELECT max(slot) FROM changes WHERE pet_id = (SELECT max(pet_id) FROM changes)); DELETE FROM changes WHERE pet_id = (SELECT max(pet_id) FROM changes)",
    )
    for (let count = 0; count < 80; count += 1) await insert(store, "Coco")
    const refused = store.run(
      Effect.flatMap(ChangeRepository, (changes) =>
        Effect.flip(changes.list({ ...everything, after: Option.fromNullable(late) })),
      ),
    )
    expect(await refused).toStrictEqual(new CursorExpired())
    expect((await list(store, { after: Option.fromNullable(early) })).changes).toHaveLength(80)
  }))

it("old changes are removed while every slot is locked by a writer", () =>
  withStore((store, url) =>
    withClient(url, async (writer) => {
      for (const name of ["Ada", "Coco", "Rex"]) await insert(store, name)
      await writer.query("BEGIN; UPDATE inventory SET slot = slot")
      const remove = Effect.flatMap(ChangeRepository, (changes) => changes.removeBefore(new Date(Date.now() + 60_000), 2))
      expect(await store.run(remove)).toBe(2)
      expect((await list(store)).changes).toHaveLength(1)
    }),
  ))
