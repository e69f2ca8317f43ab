/** Pets in PostgreSQL. */
import { minInt64, type PetId, PetRepository, type PetStatus } from "@petstore/core"
import { Array as Arrays, Effect, Option, Stream } from "effect"
import { optionOfRow, petColumns, petOf, petOfRow } from "../rows.js"
import { confirmPetOf } from "./confirm-pet.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { toFailure } from "./engine/errors.js"
import { claimIsFree, claimValues, keepClaim, underClaim } from "./idempotency.js"
import { addTo, anySlot, countInserted, countOne, countValues, keepsInventory } from "./inventory-repository.js"
import { groupInsert, insertPets, statementMaximum } from "./pet-inserts.js"

const findText = prepared("find pet", `SELECT ${petColumns} FROM pets WHERE id = $1`)

/** `counted` is a further part of the statement. */
const insertOnce = (counted: string): string => `WITH pet AS (
    INSERT INTO pets (name, category_id, status)
    SELECT $1::text, $2::int8, $3::text WHERE ${claimIsFree(4)}
    RETURNING id
  )${counted}
  ${keepClaim(4, "pet")}
  RETURNING resource_id`

export const postgresPetRepository = (database: Database, onGroupInsert?: (pets: number) => void) => {
  const { layout, read, transaction } = database
  const isCounted = keepsInventory(layout)
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)
  const insertOnceText = (status: PetStatus | undefined) =>
    prepared(`create once ${status ?? ""}`, insertOnce(isCounted ? `, counted AS (${countOne(10, status, "pet")})` : ""))

  return PetRepository.of({
    insert: groupInsert(database, onGroupInsert),

    insertOnce: (pet, claim) =>
      once(
        insertOnceText(pet.status),
        [pet.name, pet.categoryId, pet.status ?? null, ...claimValues(claim), ...(isCounted ? [anySlot()] : [])],
        claim,
      ).pipe(
        Effect.catchTag("StatementFailed", toFailure),
        Effect.flatMap((made) => {
          if (made.outcome === "refused") return Effect.dieMessage("The claim of a pet was refused, but nobody has it")
          // Safe: the statement answers one int8, as a claim of this operation keeps one.
          const id = (made.outcome === "made" ? made.rows[0]?.[0] : made.resourceId) as PetId
          // The same body gives the same pet.
          return Effect.as(made.outcome === "made" ? Effect.void : confirmPet(id), petOf(id, pet))
        }),
      ),

    // The one transaction of several statements: an import may be larger than a statement. Engines
    // that bound the size of a transaction bound the size of an import.
    insertAll: (batches) =>
      transaction((run) =>
        Stream.runFoldEffect(batches, new Map<string, number>(), (tally, batch) =>
          Effect.map(
            Effect.forEach(Arrays.chunksOf(batch, statementMaximum), (pets) => run(...insertPets(pets))),
            () => addTo(tally, batch),
          ),
        ).pipe(
          // Last, so that nobody who meets this import in a slot waits for all of it.
          Effect.tap((tally) => (isCounted ? run(countInserted(1), countValues(tally)) : Effect.void)),
          Effect.map((tally) => tally.values().reduce((sum, pets) => sum + pets, 0)),
        ),
      ),

    find: (id) => Effect.map(read(findText, [id]), ([row]) => optionOfRow(row, petOfRow)),

    list: ({ status, after, limit }) => {
      const from = Option.getOrElse(after, () => minInt64)
      // No identifier is excluded on the first page: some engines use the whole range.
      const follows = Option.isNone(after) ? ">=" : ">"
      const rows = Option.isNone(status)
        ? read(`SELECT ${petColumns} FROM pets WHERE id ${follows} $1 ORDER BY id LIMIT $2`, [from, limit])
        : read(
            // Said so that only the index on (status, id) gives the order. With `status = $1` the planner may walk
            // along the identifiers until it has met enough pets of the status, and there may be none for long.
            `SELECT ${petColumns} FROM pets WHERE (status, id) ${follows} ($1, $2) AND status <= $1 ORDER BY status, id LIMIT $3`,
            [status.value, from, limit],
          )
      return Effect.map(rows, (found) => found.map(petOfRow))
    },

    // Other processes insert, and identifiers are committed out of order.
    revision: Option.none,
  })
}
