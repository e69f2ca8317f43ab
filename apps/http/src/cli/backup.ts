/** `petstore backup` and `petstore restore`: the whole store in one file, and back. */
import { backupStore, restoreStore } from "@petstore/storage"
import { Effect } from "effect"
import { targetOf } from "./files/target.js"
import { counted, type OutputOptions, print } from "./output.js"
import { withConfig } from "./program.js"
import { sayStore } from "./store.js"

export interface BackupOptions extends OutputOptions {
  readonly replace?: true
}

export const backup = (file: string, options: BackupOptions) =>
  withConfig(({ database }) =>
    Effect.gen(function* () {
      const replace = options.replace === true
      const target = yield* targetOf(file, { database, replace })
      const { pets, checksum } = yield* backupStore(database, target, { replace })
      yield* sayStore(database)
      print(
        options,
        { file, pets: Number(pets), checksum },
        `${file} holds the store as it was: ${counted(pets, "pet")}, verified by the checksum ${checksum}.`,
      )
    }),
  )

export interface RestoreOptions extends OutputOptions {
  readonly replace?: true
}

export const restore = (file: string, options: RestoreOptions) =>
  withConfig(({ database }) =>
    Effect.gen(function* () {
      const { pets, checksum, movedAside, wasDamaged } = yield* restoreStore(database, file, {
        replace: options.replace === true,
      })
      yield* sayStore(database, true)
      const former = wasDamaged ? "The store that was there before is damaged: it" : "What was there before"
      const before = movedAside === undefined ? "" : ` ${former} is at ${movedAside}.`
      print(
        options,
        { pets: Number(pets), checksum, movedAside: movedAside ?? null, wasDamaged },
        `The store is restored: ${counted(pets, "pet")}, verified by the checksum ${checksum}.${before}`,
      )
    }),
  )
