/** What the statements of PostgreSQL store as changes, and who makes them. */
import { createHash } from "node:crypto"
import type { Actor, StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import { columnsOfActor, requestIdOf } from "../change-rows.js"
import type { Database } from "./engine/database.js"
import { toFailure } from "./engine/errors.js"

export const changeColumns = "slot, id, at, operation, actor, request_id, pet_id, before, after"

/** SQL for a value as JSON text. */
const jsonOf = (text: string): string => `to_json(${text})::text`

const optional = (name: string, json: string): string => `coalesce(',"${name}":' || ${json}, '')`

/** SQL for a pet as JSON text, from the columns of a row. */
export const petJson = (row: string, status = `${row}.status`): string =>
  `'{"id":' || ${row}.id || ',"name":' || ${jsonOf(`${row}.name`)} || ',"categoryId":' || ${row}.category_id || ${optional("status", jsonOf(status))} || '}'`

/** SQL for an order as JSON text, from the columns of a row. Its times are in ms since 1970. */
export const orderJson = (row: string, status = `${row}.status`, updatedAt = `${row}.updated_at`): string =>
  `'{"id":' || ${row}.id || ',"petId":' || ${row}.pet_id || ',"status":' || ${jsonOf(status)} || ',"createdAt":' || ${row}.created_at
    || ',"updatedAt":' || ${updatedAt} || ${optional("note", jsonOf(`${row}.note`))} || '}'`

/** SQL for one side of a change, from the SQL of its resources. */
export const sideOf = (resources: { readonly pet?: string; readonly order?: string }): string =>
  `'{' || ${Object.entries(resources)
    .map(([name, json]) => `'"${name}":' || ${json}`)
    .join(" || ',' || ")} || '}'`

/** SQL for both sides of a change. */
export interface Sides {
  readonly before: string
  readonly after: string
}

/** The sides of a row `order`, as it was before if it was, and of its `pet`, whose status was `from`. */
export const sidesOf = (order: string, from: string, orderBefore?: string): Sides => ({
  before: sideOf({ pet: petJson("pet", from), ...(orderBefore !== undefined && { order: orderBefore }) }),
  after: sideOf({ pet: petJson("pet"), order: orderJson(order) }),
})

/** Who makes a change and when: the time in ms, the number of the actor and the identifier of the request. */
export type Origin = readonly [at: number, actor: bigint | null, requestId: string | null]

/** The first digits of a digest, so that every process finds the same number without asking, also in a store that was restored. */
const numberOf = (account: string, key: string): bigint =>
  createHash("sha256").update(`${account}\n${key}`).digest().readBigUInt64BE() >> 11n

/** Returns the number of actor ($2, $3): the one that a copy from another engine brought along, or else $1. */
const keepActor = `WITH known AS (SELECT id FROM change_actors WHERE account_id = $2 AND key_id = $3 ORDER BY id LIMIT 1),
    made AS (INSERT INTO change_actors (id, account_id, key_id) SELECT $1::int8, $2::text, $3::text
      WHERE NOT EXISTS (SELECT 1 FROM known) ON CONFLICT (id) DO NOTHING)
  SELECT coalesce((SELECT id FROM known), $1::int8)`

export type OriginOf = (by: Actor | undefined) => Effect.Effect<Origin, StorageUnavailable>

/** Returns the function that describes an actor. It stores each actor once before the first change. */
export const originsOf = ({ coordinator }: Database): OriginOf => {
  const known = new Map<string, bigint>()
  return (by) => {
    const now = Date.now()
    if (by === undefined) return Effect.succeed([now, null, null])
    const [account, key] = columnsOfActor(by)
    const requestId = requestIdOf(by)
    const number = known.get(`${account}\n${key}`)
    if (number !== undefined) return Effect.succeed([now, number, requestId])
    return coordinator.attempt("claim", keepActor, [numberOf(account, key), account, key]).pipe(
      Effect.catchAll(toFailure),
      Effect.map(([row]): Origin => {
        // Safe: the statement returns an int8.
        const found = row?.[0] as bigint
        known.set(`${account}\n${key}`, found)
        return [now, found, requestId]
      }),
    )
  }
}
