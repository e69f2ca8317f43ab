/** Corrects which pending pets a placed order holds: what an older release writes counts as reserved, which a start mends. */
import { Effect } from "effect"
import type { Run } from "./engine/connection.js"
import type { StatementFailed } from "./engine/errors.js"
import type { Layout } from "./engine/layout.js"

/** Most pets that one transaction locks. */
const atOnce = 5_000

const held = "SELECT pet_id FROM orders WHERE status = 'placed'"

/**
 * Whether no part of a transaction is committed that another part is still to follow. Where rows are spread over nodes, a
 * pet may show that it was ordered before its order shows.
 */
const showsWhole = (run: Run, layout: Layout): Effect.Effect<boolean, StatementFailed> =>
  layout === "one node"
    ? Effect.succeed(true)
    : Effect.map(
        run(
          "SELECT 1 FROM run_command_on_all_nodes('SELECT count(*) FROM pg_prepared_xacts') WHERE NOT success OR result <> '0'",
        ),
        (unsettled) => unsettled.length === 0,
      )

/** Frees some pets that no placed order holds. Answers whether there may be more. */
const freeSome = (run: Run, layout: Layout): Effect.Effect<boolean, StatementFailed> =>
  Effect.gen(function* () {
    const found = yield* run(
      `SELECT id FROM pets WHERE status = 'pending' AND NOT free AND id NOT IN (${held}) ORDER BY id LIMIT ${atOnce}`,
    )
    if (found.length === 0) return false
    const ids = found.map(([id]) => id)
    const free = Effect.gen(function* () {
      yield* run("BEGIN")
      // Locks them. From here on no order takes one of them, and an order that took one shows.
      yield* run("UPDATE pets SET free = free WHERE id = ANY ($1::int8[])", [ids])
      const shows = yield* showsWhole(run, layout)
      if (shows) {
        const taken = new Set((yield* run(`${held} AND pet_id = ANY ($1::int8[])`, [ids])).map(([id]) => id))
        const others = ids.filter((id) => !taken.has(id))
        yield* run("UPDATE pets SET free = true WHERE id = ANY ($1::int8[]) AND status = 'pending'", [others])
      }
      yield* run("COMMIT")
      return shows && ids.length === atOnce
    })
    return yield* Effect.tapError(free, () => Effect.ignore(run("ROLLBACK")))
  })

/** A failure is left to the next start: until then those pets count as reserved. */
export const freePets = (run: Run, layout: Layout): Effect.Effect<void> =>
  freeSome(run, layout).pipe(Effect.repeat({ while: (isMore) => isMore }), Effect.ignore)
