/** How far a webhook has got, as every engine understands it: the places of PostgreSQL hold positions in slots. */
import { maxInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import { changePlace, firstPlace, numberIn } from "../change-rows.js"
import { decodePlace, type Position } from "./change-places.js"
import type { Run } from "./engine/connection.js"
import type { StatementFailed } from "./engine/errors.js"

const select = {
  slots: "SELECT slot FROM inventory",
  /** In slot $1: the first change behind $2, whether the change $2 is there, and the newest removed change. */
  around: `SELECT (SELECT min(id) FROM changes WHERE slot = $1 AND id > $2),
    (SELECT id FROM changes WHERE slot = $1 AND id = $2), (SELECT last_id FROM removed_changes WHERE slot = $1)`,
  before: `SELECT id, at, operation, request_id, before, after FROM changes WHERE slot = $1 AND id < $2
    ORDER BY slot DESC, id DESC LIMIT 1`,
}

const slotsOf = (run: Run) => Effect.map(run(select.slots), (rows) => rows.map(([slot]) => Number(slot)))

/** The place behind the newest change whose identifier is below the given one. */
const placeBefore = (run: Run, limit: bigint): Effect.Effect<string, StatementFailed> =>
  Effect.gen(function* () {
    let [found, place] = [0n, firstPlace]
    for (const slot of yield* slotsOf(run)) {
      const [row] = yield* run(select.before, [slot, limit])
      if (row === undefined) continue
      // Safe: the statement lists these columns.
      const [id, at, operation, requestId, before, after] = row as unknown as readonly [
        ...[id: bigint, at: bigint, operation: bigint],
        ...[requestId: string | null, before: string | null, after: string | null],
      ]
      if (id > found) [found, place] = [id, changePlace({ id, at, operation, requestId, before, after })]
    }
    return place
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

/** The progress of a webhook with a place that other stores understand. A change may be behind it twice, but none is missing. */
export const progressElsewhere = (run: Run, progress: string): Effect.Effect<string, StatementFailed> =>
  Effect.gen(function* () {
    const known: unknown = JSON.parse(progress)
    const place: unknown = Object(known).place
    if (typeof place !== "string") return progress
    const number = numberIn(place)
    if (number !== undefined && (yield* placeBefore(run, number + 1n)) === place) return progress
    const own = decodePlace(place)
    const first = own === undefined ? undefined : yield* firstBehind(run, own.position)
    return first === undefined ? progress : JSON.stringify({ ...Object(known), place: yield* placeBefore(run, first) })
  })
