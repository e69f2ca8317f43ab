/** How far a webhook has got, as every engine understands it: the places of PostgreSQL hold positions in slots. */
import { maxInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import { changePlace, firstPlace, numberIn, tagOf } from "../change-rows.js"
import { decodePlace, type Position, placeOf } from "./change-places.js"
import { inTransaction, type Run } from "./engine/connection.js"
import type { StatementFailed } from "./engine/errors.js"

const select = {
  slots: "SELECT slot FROM inventory",
  /** In slot $1: the first change behind $2, whether the change $2 is there, and the newest removed change. */
  around: `SELECT (SELECT min(id) FROM changes WHERE slot = $1 AND id > $2),
    (SELECT id FROM changes WHERE slot = $1 AND id = $2), (SELECT last_id FROM removed_changes WHERE slot = $1)`,
  before: `SELECT id, at, operation, request_id, pet_id, before, after FROM changes WHERE slot = $1 AND id < $2
    ORDER BY slot DESC, id DESC LIMIT 1`,
}

const slotsOf = (run: Run) => Effect.map(run(select.slots), (rows) => rows.map(([slot]) => Number(slot)))

/** The newest change of each slot whose identifier is below the given one. */
const newestBelow = (run: Run, limit: bigint) =>
  Effect.gen(function* () {
    const found: Array<readonly [slot: number, id: bigint, tag: string, place: string]> = []
    for (const slot of yield* slotsOf(run)) {
      const [row] = yield* run(select.before, [slot, limit])
      if (row === undefined) continue
      // Safe: the statement lists these columns.
      const [id, at, operation, requestId, petId, before, after] = row as unknown as readonly [
        ...[id: bigint, at: bigint, operation: bigint],
        ...[requestId: string | null, petId: bigint | null, before: string | null, after: string | null],
      ]
      const place = changePlace([id, at, operation, requestId, before, after])
      found.push([slot, id, tagOf(at, operation, requestId, petId), place])
    }
    return found
  })

/** The place behind the newest change whose identifier is below the given one. */
const placeBefore = (run: Run, limit: bigint): Effect.Effect<string, StatementFailed> =>
  Effect.map(newestBelow(run, limit), (found) => {
    const [newest] = found.toSorted(([, one], [, other]) => Number(other - one))
    return newest?.[3] ?? firstPlace
  })

/** The first change behind a position, or {@link maxInt64}; `undefined` if the position is lost. */
const firstBehind = (run: Run, position: Position): Effect.Effect<bigint | undefined, StatementFailed> =>
  Effect.gen(function* () {
    let first = maxInt64
    for (const slot of new Set([...(yield* slotsOf(run)), ...position.keys()])) {
      const last = position.get(slot) ?? 0n
      const [row] = yield* run(select.around, [slot, last])
      // Safe: the statement lists these columns.
      const [next, itself, removed] = row as unknown as readonly [bigint | null, bigint | null, bigint | null]
      if ((removed ?? 0n) > last || (last > 0n && itself === null && removed !== last)) return undefined
      if (next !== null && next < first) first = next
    }
    return first
  })

/** The first change behind a webhook's place, or {@link maxInt64}; `undefined` if it has no place, or a lost one. */
const firstToDeliver = (run: Run, progress: string): Effect.Effect<bigint | undefined, StatementFailed> =>
  Effect.gen(function* () {
    const place: unknown = Object(JSON.parse(progress)).place
    if (typeof place !== "string") return undefined
    const number = numberIn(place)
    if (number !== undefined && (yield* placeBefore(run, number + 1n)) === place) return number + 1n
    const position = decodePlace(place)
    return position === undefined ? undefined : yield* firstBehind(run, position)
  })

const withPlace = (progress: string, place: string): string => JSON.stringify({ ...Object(JSON.parse(progress)), place })

/** The progress of a webhook with a place that other stores understand. A change may be behind it twice, but none is missing. */
export const progressElsewhere = (run: Run, progress: string): Effect.Effect<string, StatementFailed> =>
  Effect.gen(function* () {
    const first = yield* firstToDeliver(run, progress)
    return first === undefined ? progress : withPlace(progress, yield* placeBefore(run, first))
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
      const webhooks: Array<readonly [id: unknown, progress: string, first: bigint | undefined]> = []
      for (const [id, text] of yield* run("SELECT id, progress FROM webhooks")) {
        const progress = String(text)
        webhooks.push([id, progress, yield* firstToDeliver(run, progress)])
      }
      yield* run(`UPDATE changes SET slot = ${slotOfChange}`)
      // Safe: the statement lists these columns.
      const removed = (yield* run("SELECT slot, last_id, tag FROM removed_changes")) as unknown as ReadonlyArray<
        readonly [bigint, bigint, string]
      >
      for (const [id, progress, first] of webhooks) {
        const before = first === undefined ? [] : [...(yield* newestBelow(run, first)), ...removed]
        const marks = new Map(before.map(([slot, id, tag]) => [Number(slot), { id, tag }]))
        yield* run("UPDATE webhooks SET progress = $2, holder = NULL, version = version + 1 WHERE id = $1", [
          ...[id, first === undefined ? progress : withPlace(progress, placeOf(marks))],
        ])
      }
    }),
  )
