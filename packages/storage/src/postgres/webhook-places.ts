/** How far a webhook has got, as every engine understands it: the places of PostgreSQL hold positions in slots. */
import { maxInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import { changePlace, firstPlace, numberIn } from "../change-rows.js"
import { decodePlace, type Position, placeOf } from "./change-places.js"
import { marksOf, type ReadSlots, readSlots } from "./change-slots.js"
import { inTransaction, type Run } from "./engine/connection.js"
import type { StatementFailed } from "./engine/errors.js"
import type { Layout } from "./engine/layout.js"

/** The place behind the newest change whose identifier is below the given one. */
const placeBefore = (read: ReadSlots<StatementFailed>, limit: bigint): Effect.Effect<string, StatementFailed> =>
  Effect.map(read({ order: "desc", start: limit, limit: 1 }), ({ changes }) => {
    const [newest] = changes.toSorted(([one], [other]) => Number(other - one))
    return newest === undefined ? firstPlace : changePlace(newest)
  })

/** The first change behind a position, or {@link maxInt64}; `undefined` if the position is lost. */
const firstBehind = (read: ReadSlots<StatementFailed>, position: Position): Effect.Effect<bigint | undefined, StatementFailed> =>
  Effect.map(read({ order: "asc", start: position, limit: 1 }), ({ changes, places, removed }) => {
    const kept = new Map([...marksOf(removed), ...marksOf(places)])
    const isRemoved = removed.some(([last, , , , , , slot]) => last > (position.get(Number(slot)) ?? 0n))
    if (isRemoved || [...position].some(([slot, id]) => kept.get(slot)?.id !== id)) return undefined
    return changes.reduce((first, [id]) => (id < first ? id : first), maxInt64)
  })

/** The first change behind a webhook's place, or {@link maxInt64}; `undefined` if it has no place, or a lost one. */
const firstToDeliver = (read: ReadSlots<StatementFailed>, progress: string): Effect.Effect<bigint | undefined, StatementFailed> =>
  Effect.gen(function* () {
    const place: unknown = Object(JSON.parse(progress)).place
    if (typeof place !== "string") return undefined
    const number = numberIn(place)
    if (number !== undefined && (yield* placeBefore(read, number + 1n)) === place) return number + 1n
    const position = decodePlace(place)
    return position === undefined ? undefined : yield* firstBehind(read, position)
  })

const withPlace = (progress: string, place: string): string => JSON.stringify({ ...Object(JSON.parse(progress)), place })

const reading = (run: Run, layout: Layout): ReadSlots<StatementFailed> =>
  readSlots(layout, (text, values) => run(typeof text === "string" ? text : text.text, values))

/** The progress of a webhook with a place that other stores understand. A change may be behind it twice, but none is missing. */
export const progressElsewhere = (run: Run, layout: Layout, progress: string): Effect.Effect<string, StatementFailed> =>
  Effect.gen(function* () {
    const read = reading(run, layout)
    const first = yield* firstToDeliver(read, progress)
    return first === undefined ? progress : withPlace(progress, yield* placeBefore(read, first))
  })

/**
 * Moves all changes to other slots, and the places of webhooks with them: as in a copy, a change may be behind a place twice. The
 * webhooks lose their holders, who have the former places in memory.
 */
export const moveChanges = (run: Run, slotOfChange: string): Effect.Effect<void, StatementFailed> =>
  inTransaction(
    run,
    Effect.gen(function* () {
      // A place that was computed without a change must not be behind it.
      yield* run("LOCK TABLE changes, webhooks IN SHARE ROW EXCLUSIVE MODE")
      const read = reading(run, "one node")
      const webhooks: Array<readonly [id: unknown, progress: string, first: bigint | undefined]> = []
      for (const [id, text] of yield* run("SELECT id, progress FROM webhooks")) {
        const progress = String(text)
        webhooks.push([id, progress, yield* firstToDeliver(read, progress)])
      }
      yield* run(`UPDATE changes SET slot = ${slotOfChange}`)
      for (const [id, progress, first] of webhooks) {
        const before = first === undefined ? undefined : yield* read({ order: "desc", start: first, limit: 1 })
        const place = before && placeOf(new Map([...marksOf(before.changes), ...marksOf(before.removed)]))
        yield* run("UPDATE webhooks SET progress = $2, holder = NULL, version = version + 1 WHERE id = $1", [
          ...[id, place === undefined ? progress : withPlace(progress, place)],
        ])
      }
    }),
  )
