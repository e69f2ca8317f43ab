/**
 * Inserts and counts many pets, their words and their changes with four statements. They read JSON texts, because binding each value takes
 * twice as long as all the rest of an insertion.
 */
import type { Actor, ValidNewPet } from "@petstore/core"
import { numberOfOperation, requestIdOf } from "../change-rows.js"
import { wordsTextOf } from "../words-text.js"
import { actorNumbers } from "./change-writes.js"
import type { Statements } from "./engine/connection.js"
import { wordWrites } from "./pet-words.js"

/** Pets as texts that the statements read by `json_each`. */
export interface PetTexts {
  readonly pets: string
  readonly words: string
  readonly count: bigint
}

export const textsOf = (pets: ReadonlyArray<ValidNewPet>): PetTexts => {
  const texts = pets.map(
    ({ name, categoryId, status }) => `[${JSON.stringify(name)},${categoryId},${status === undefined ? "null" : `"${status}"`}]`,
  )
  return {
    pets: `[${texts.join()}]`,
    words: JSON.stringify(pets.map(({ name }) => wordsTextOf(name))),
    count: BigInt(pets.length),
  }
}

export const petInserts = ({ prepare }: Pick<Statements, "prepare">) => {
  // `OR FAIL` keeps the rows before a failing row, so it needs no statement journal. The caller undoes all of the rows.
  const insertPets = prepare(`INSERT OR FAIL INTO main.pets (name, category_id, status)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`)
  const words = "INTO main.pet_words (docid, words) SELECT ? + key, value FROM json_each(?)"
  const insertWords = prepare(`INSERT ${words}`)
  const replaceWords = prepare(`INSERT OR REPLACE ${words}`)
  const lastWords = prepare("SELECT coalesce(max(docid), 0) FROM main.pet_words_content")
  // JSON texts as triggers for SQL by hand write them, with `null` for an absent status.
  const insertChanges = prepare(`INSERT INTO main.changes (at, operation, actor, request_id, pet_id, after)
    SELECT ?, ${numberOfOperation("createPet")}, ?, ?, id,
      json_object('pet', json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status))
    FROM main.pets WHERE id >= ? AND id <= ? ORDER BY id`)
  const countPets = prepare(`UPDATE main.inventory SET pets = pets +
    (SELECT count(*) FROM main.pets WHERE id >= ? AND id <= ? AND coalesce(pets.status, '') = inventory.status)`)
  const numberOf = actorNumbers({ prepare })
  const { indexWaiting } = wordWrites({ prepare })

  return ({ pets, words, count }: PetTexts, by: Actor | undefined): void => {
    if (count === 0n) return
    indexWaiting()
    const last = BigInt(insertPets.run(pets).lastInsertRowid)
    const first = last - count + 1n
    // Safe: the statement returns one integer. FTS4 looks for a row to replace only on request, and new pets have none.
    const [lastId] = lastWords.get() as unknown as readonly [bigint]
    ;(first > lastId ? insertWords : replaceWords).run(first, words)
    insertChanges.run(Date.now(), by === undefined ? null : numberOf(by), requestIdOf(by), first, last)
    countPets.run(first, last)
  }
}
