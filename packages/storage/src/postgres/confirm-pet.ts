/**
 * A repeated request can refer to a change that is committed but not visible yet: a cluster node that was down commits its part
 * only when two-phase commits are recovered. No response may refer to the row before that.
 */
import { type OrderId, type PetId, StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { Database } from "./engine/database.js"
import { toFailure } from "./engine/errors.js"
import { limitTransaction } from "./engine/transaction-limits.js"

/** The failure for a repeated request whose row is not visible yet. */
export const notShown = (what: "Pet" | "Order", id: PetId | OrderId): StorageUnavailable =>
  new StorageUnavailable({ cause: new Error(`${what} ${id} was created but is not visible yet`) })

/** How long to wait for a pet with a prepared change, in ms. */
const waitMillis = 3_000

/** The maximum number of connections outside the pool that wait for prepared changes, separately for pets and for orders. */
const waitersMaximum = 3

/**
 * Returns the function that checks whether all earlier changes to a pet are visible. The function writes the pet unchanged, which
 * waits for a prepared change; a single server needs no check. A pet that is not visible counts as removed, unless an insert
 * with its identifier fails or blocks.
 */
export const confirmPetOf = ({ attempt, layout, transaction }: Database) => {
  const waiters = Effect.unsafeMakeSemaphore(waitersMaximum)

  const isRemoved = (id: PetId): Effect.Effect<boolean, StorageUnavailable> =>
    transaction((run) =>
      limitTransaction(run, { lockMillis: waitMillis, statementMillis: waitMillis }).pipe(
        Effect.zipRight(
          run("INSERT INTO pets (id, name, category_id) VALUES ($1, '', 0) ON CONFLICT (id) DO NOTHING RETURNING id", [id]),
        ),
        // The failure rolls back the insert.
        Effect.flatMap((rows) => Effect.fail(rows.length > 0)),
      ),
    ).pipe(
      Effect.catchIf((failure) => typeof failure === "boolean", Effect.succeed),
      waiters.withPermits(1),
      Effect.timeoutFail({ duration: waitMillis, onTimeout: () => notShown("Pet", id) }),
    )

  return (id: PetId): Effect.Effect<void, StorageUnavailable> =>
    layout === "one node"
      ? Effect.void
      : attempt("claim", "UPDATE pets SET status = status WHERE id = $1 RETURNING id", [id]).pipe(
          Effect.catchAll(toFailure),
          Effect.flatMap((rows) => (rows.length > 0 ? Effect.succeed(true) : isRemoved(id))),
          Effect.flatMap((isSettled) => (isSettled ? Effect.void : notShown("Pet", id))),
        )
}
