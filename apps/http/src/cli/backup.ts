/** `petstore backup` and `petstore restore`: the whole store in one file, and back. */
import { backupStore, restoreStore } from "@petstore/storage"
import { Effect } from "effect"
import { type OutputOptions, print } from "./output.js"
import { withConfig } from "./program.js"

export const backup = (file: string, options: OutputOptions) =>
  withConfig(({ database }) =>
    Effect.map(backupStore(database, file), ({ pets, checksum }) =>
      print(
        options,
        { file, pets: Number(pets), checksum },
        `${file} holds the store as it was: ${pets} pets, verified by the checksum ${checksum}.`,
      ),
    ),
  )

export interface RestoreOptions extends OutputOptions {
  readonly replace?: true
}

export const restore = (file: string, options: RestoreOptions) =>
  withConfig(({ database }) =>
    Effect.map(
      restoreStore(database, file, { replace: options.replace === true }),
      ({ pets, checksum, movedAside, wasDamaged }) => {
        const former = wasDamaged ? "The store that was there before is damaged: it" : "What was there before"
        const before = movedAside === undefined ? "" : ` ${former} is at ${movedAside}.`
        print(
          options,
          { pets: Number(pets), checksum, movedAside: movedAside ?? null, wasDamaged },
          `The store is restored: ${pets} pets, verified by the checksum ${checksum}.${before}`,
        )
      },
    ),
  )
