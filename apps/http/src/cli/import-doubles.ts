/** Refuses an import that would add animals of the store again. */
import { existsSync } from "node:fs"
import { InventoryRepository, PetRepository } from "@petstore/core"
import type { Words } from "@petstore/pet-files"
import { Effect } from "effect"
import type { ImportFile, ImportOptions } from "./import-file.js"
import { counted } from "./output.js"
import { CommandFailed } from "./program.js"

export const refuseDoubles = (file: ImportFile, options: ImportOptions, words: Words) =>
  options.ids === undefined ? refuseOwnExport(file, options, words) : refuseFirstIds(options.ids)

/** Refuses to begin a file of identifiers beside animals of which it would know nothing: they may be those of this file. */
const refuseFirstIds = (ids: string) =>
  Effect.gen(function* () {
    if (existsSync(ids)) return
    const { total } = yield* Effect.flatMap(InventoryRepository, ({ read }) => read)
    if (total === 0) return
    return yield* new CommandFailed({
      reason: `${ids} does not exist, and the store already has ${counted(total, "animal")}: those that are in this file too would be there twice. Nothing was kept. If no animal of this file is in the store yet, create ${ids} as an empty file, and import again.`,
    })
  })

/** How many identifiers of a file are looked up. */
const lookedUp = 100

/** Refuses a file that our export wrote, if it has identifiers of the store: every pet would be added again. */
const refuseOwnExport = ({ path }: ImportFile, { update, skip }: ImportOptions, { exportedIds }: Words) =>
  Effect.gen(function* () {
    if (update || skip?.includes("id") || exportedIds.length === 0) return
    const { search } = yield* PetRepository
    const id = [...new Set(exportedIds)].slice(0, lookedUp)
    const { pets } = yield* search({ id, order: "asc", limit: lookedUp })
    if (pets.length === 0) return
    return yield* new CommandFailed({
      reason: `${path} is an export with identifiers of this store, such as ${pets[0]?.id}: its animals would be there twice. Nothing was kept. To correct the animals, pass --update; to add them again, pass --skip id.`,
    })
  })
