/**
 * Corrects in the background which pending pets count as reserved. Pets from an older release count
 * as reserved, and manual SQL can set `free` wrongly. One serving process checks all pending pets every few minutes.
 */
import { minInt64, StorageUnavailable } from "@petstore/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Rows, Run } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { limitTransaction } from "./engine/transaction-limits.js"

/** How often the pets are corrected, and how often a process checks whether a correction is due, in ms. */
const roundMillis = 5 * 60_000
const askMillis = 60_000

/** The maximum number of pets that one step (in a cluster, each shard) reads, and that one transaction locks. */
const atOnce = 2_000

/** How many times a correction checks whether earlier transactions have finished, and the time between checks, in ms. */
const looks = 20
const lookMillis = 50

/** Claims the round of all processes by the server's clock. Two statements, as Citus cannot compare timestamps in an upsert. */
const makeRound =
  "INSERT INTO petstore_processes (id, wrote_at) VALUES ('free pets', now() - interval '1 hour') ON CONFLICT (id) DO NOTHING"
const takeRound = `UPDATE petstore_processes SET wrote_at = now()
  WHERE id = 'free pets' AND wrote_at < now() - ${roundMillis} * interval '1 millisecond' RETURNING id`

/** As in the list of pets, only the index on (status, id) has this order. */
const pendingPets = `SELECT id, free FROM pets WHERE (status, id) > ('pending', $1) AND status <= 'pending' ORDER BY status, id LIMIT ${atOnce}`

const heldPets = "SELECT pet_id FROM orders WHERE pet_id = ANY ($1::int8[]) AND status = 'placed'"

const idsOf = (rows: Rows) => rows.map(([id]) => id)

const wrongAmong = (pets: Rows, held: Rows) => {
  const ids = new Set(idsOf(held))
  return idsOf(pets.filter(([id, free]) => (free === "t") === ids.has(id)))
}

const preparedOnNodes = `SELECT success::text, result FROM run_command_on_all_nodes(
  $$SELECT coalesce(json_agg(gid), '[]') FROM pg_prepared_xacts WHERE database = current_database()$$)`

/** This database's unfinished two-phase transactions. */
const unsettled = (run: Run<StorageUnavailable>): Effect.Effect<ReadonlySet<string>, StorageUnavailable> =>
  Effect.flatMap(run(preparedOnNodes), (nodes) =>
    nodes.every(([success]) => success === "true")
      ? // Safe: each node returns an array of texts.
        Effect.succeed(new Set(nodes.flatMap(([, gids]) => JSON.parse(String(gids)) as ReadonlyArray<string>)))
      : new StorageUnavailable({ cause: new Error("A node did not report its unfinished transactions") }),
  )

/**
 * Waits until earlier transactions are completely visible. In a cluster, a pet can already show the change of an order that is
 * still prepared and not visible. Later prepared transactions do not involve the locked pets.
 */
const settle = (run: Run<StorageUnavailable>): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    const before = yield* unsettled(run)
    if (before.size === 0) return
    const unfinished = new StorageUnavailable({ cause: new Error("An earlier transaction did not finish") })
    yield* unsettled(run).pipe(
      Effect.flatMap((now) => (before.values().some((each) => now.has(each)) ? unfinished : Effect.void)),
      Effect.retry({ times: looks, schedule: Schedule.spaced(lookMillis) }),
    )
  })

/** Corrects the pets that are still pending and whose `free` column is still wrong. */
const correct = ({ layout, transaction }: Database, ids: ReadonlyArray<unknown>): Effect.Effect<void, StorageUnavailable> =>
  transaction((run) =>
    Effect.gen(function* () {
      yield* limitTransaction(run)
      // Locks the pets. From here on, no order reserves or frees them, and earlier orders are visible.
      const locked = yield* run(
        "UPDATE pets SET free = free WHERE id = ANY ($1::int8[]) AND status = 'pending' RETURNING id, free",
        [ids],
      )
      if (layout === "spread") yield* settle(run)
      const wrong = wrongAmong(locked, yield* run(heldPets, [ids]))
      if (wrong.length > 0) yield* run("UPDATE pets SET free = NOT free WHERE id = ANY ($1::int8[])", [wrong])
    }),
  )

/** Checks all pending pets once. The next round corrects the pets that this round cannot correct. */
const correctAll = (database: Database): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    for (let after: unknown = minInt64; ; ) {
      const pets = yield* database.read(pendingPets, [after])
      if (pets.length === 0) return
      const wrong = wrongAmong(pets, yield* database.read(heldPets, [idsOf(pets)]))
      if (wrong.length > 0) yield* Effect.ignore(correct(database, wrong))
      after = pets.at(-1)?.[0]
    }
  })

/** Corrects the pets for as long as the scope lasts, in the background. If a round fails, the next one does its work. */
export const keepCorrecting = (database: Database) => {
  const { coordinator } = database
  const round = Effect.gen(function* () {
    yield* coordinator.write(makeRound)
    const taken = yield* coordinator.write(takeRound)
    if (taken.length === 0) return
    yield* Effect.ignore(correctAll(database))
  })
  return Effect.ignore(round).pipe(
    Effect.repeat(Schedule.spaced(askMillis)),
    // Uses its own clock, because setting the service's clock forward by a year would cause a year's worth of rounds.
    Effect.withClock(Clock.make()),
    Effect.forkScoped,
  )
}
