/**
 * What a request repeats may have been committed and not show yet: where rows are spread over nodes, one that was away
 * ends its part when it is back and two-phase commits are recovered. A response before that would promise an invisible row.
 */
import { type OrderId, type PetId, StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { Database } from "./engine/database.js"
import { toFailure } from "./engine/errors.js"
import { limitTransaction } from "./engine/transaction-limits.js"

/** The failure of a request that repeats what made a row that does not show. */
export const notShown = (what: "pet" | "order", id: PetId | OrderId): StorageUnavailable =>
  new StorageUnavailable({ cause: new Error(`The ${what} ${id} was made and does not show yet`) })

/** How long to wait for a pet that is prepared, in ms. */
const waitMillis = 3_000

/** Most connections beside the pool that wait so, of pets or of orders. */
const waitersMaximum = 3

/**
 * Makes the function that tells whether all that earlier requests changed of a pet shows. It writes the pet as it is, which
 * waits for a change that is prepared; one server shows a change whole, so there is nothing to ask. A pet that does not
 * show was removed, unless another one of its identifier is refused or waits.
 */
export const confirmPetOf = ({ attempt, layout, transaction }: Database) => {
  const waiters = Effect.unsafeMakeSemaphore(waitersMaximum)

  const isRemoved = (id: PetId): Effect.Effect<boolean, StorageUnavailable> =>
    transaction((run) =>
      limitTransaction(run, { lockMillis: waitMillis, statementMillis: waitMillis }).pipe(
        Effect.zipRight(
          run("INSERT INTO pets (id, name, category_id) VALUES ($1, '', 0) ON CONFLICT (id) DO NOTHING RETURNING id", [id]),
        ),
        // A failure undoes it.
        Effect.flatMap((rows) => Effect.fail(rows.length > 0)),
      ),
    ).pipe(
      Effect.catchIf((failure) => typeof failure === "boolean", Effect.succeed),
      waiters.withPermits(1),
      Effect.timeoutFail({ duration: waitMillis, onTimeout: () => notShown("pet", id) }),
    )

  return (id: PetId): Effect.Effect<void, StorageUnavailable> =>
    layout === "one node"
      ? Effect.void
      : attempt("claim", "UPDATE pets SET status = status WHERE id = $1 RETURNING id", [id]).pipe(
          Effect.catchAll(toFailure),
          Effect.flatMap((rows) => (rows.length > 0 ? Effect.succeed(true) : isRemoved(id))),
          Effect.filterOrFail(
            (isSettled) => isSettled,
            () => notShown("pet", id),
          ),
          Effect.asVoid,
        )
}
